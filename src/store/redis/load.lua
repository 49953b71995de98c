-- Reads the document, unless the caller has this revision, and the answer under a key.
-- KEYS: doc, and the answers of even and of odd spans of time
-- ARGV: known revision, key digest or ''
local have = redis.call('HMGET', KEYS[1], 'revision', 'version')
local document = false
if have[1] ~= ARGV[1] then
  document = redis.call('HGET', KEYS[1], 'document')
end
if ARGV[2] == '' then
  return {{have[1], have[2], document}}
end
return {{have[1], have[2], document}, redis.call('HGET', KEYS[2], ARGV[2]), redis.call('HGET', KEYS[3], ARGV[2])}
