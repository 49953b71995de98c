-- Removes an encounter.
-- KEYS: doc, log, and the answers of even and of odd time spans
-- ARGV: channel, id
local found = redis.call('HMGET', KEYS[1], 'revision', 'application', 'place')
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[2] .. ':new', KEYS[3], KEYS[4])
if found[1] then
  redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' -')
end
return found
