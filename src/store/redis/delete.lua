-- Removes an encounter.
-- KEYS: doc, log, and the answers of even and of odd spans of time
-- ARGV: channel, id
local had = redis.call('EXISTS', KEYS[1])
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
if had == 1 then
  redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' -')
end
return had
