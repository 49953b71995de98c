-- Keeps a new encounter unless there is one.
-- KEYS: doc, log, answers, answered
-- ARGV: document, base, ttl in ms (0 = never), nonce of this write, first revision
local have = redis.call('HMGET', KEYS[1], 'revision', 'creator', 'created', 'base')
if have[1] then
  if have[2] == ARGV[4] then
    return {'new'} -- this very write, sent again after a broken connection
  end
  return {'existing', have[3] or have[4]}
end
redis.call('HSET', KEYS[1], 'revision', ARGV[5], 'version', '0', 'document', ARGV[1],
  'base_version', '0', 'base', ARGV[2], 'creator', ARGV[4])
-- An eviction may have taken the document and left the rest. After the first write: a full server looks at no later one.
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return {'new'}
