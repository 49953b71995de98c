-- Reads the document, unless the caller has this revision, and the answer under a key.
-- KEYS: doc, and the answers of even and of odd time spans
-- ARGV: known revision or '', key digest or ''
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local found = redis.call('HMGET', KEYS[1], 'revision', 'version', 'log_bytes', 'layout')
if found[1] and found[4] ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. (found[4] or '0'))
end
local document, answer = false, false
if found[1] ~= ARGV[1] then
  document = redis.call('HGET', KEYS[1], 'document')
end
if ARGV[2] ~= '' then
  answer = redis.call('HGET', KEYS[2], ARGV[2]) or redis.call('HGET', KEYS[3], ARGV[2])
end
return {{found[1], found[2], found[3], found[4], document}, answer}
