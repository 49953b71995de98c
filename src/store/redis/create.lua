-- Keeps a new encounter unless there is one.
-- KEYS: doc, log, and the answers of even and of odd spans of time
-- ARGV: document, base, ttl in ms (0 = never), nonce of this write, first revision, version of the base, newest version,
-- version of the first entry, application ('' = none) and the place in its list, entries
local have = redis.call('HMGET', KEYS[1], 'revision', 'creator', 'created', 'base', 'application', 'place')
if have[1] then
  if have[2] == ARGV[4] then
    return {'new', have[5], have[6]} -- this very write, sent again after a broken connection
  end
  return {'existing', have[3] or have[4], have[5], have[6]}
end
local application, place = false, false
if ARGV[9] ~= '' then
  application, place = ARGV[9], ARGV[10]
end
redis.call('HSET', KEYS[1], 'revision', ARGV[5], 'version', ARGV[7], 'document', ARGV[1],
  'base_version', ARGV[6], 'base', ARGV[2], 'creator', ARGV[4])
-- An eviction may have taken the document and left the rest. After the first write: a full server looks at no later one.
redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
if place then
  redis.call('HSET', KEYS[1], 'application', application, 'place', place)
end
for i = 11, #ARGV do
  redis.call('XADD', KEYS[2], string.format('%.0f-0', ARGV[8] + i - 11), 'e', ARGV[i], 'w', ARGV[4])
end
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return {'new', application, place}
