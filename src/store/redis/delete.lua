-- Removes an encounter.
-- KEYS: doc, log, and the answers of even and of odd spans of time
-- ARGV: channel, id
local listed = redis.call('HMGET', KEYS[1], 'revision', 'application', 'place')
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3], KEYS[4])
if not listed[1] then
  return {'0'}
end
redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' -')
return {'1', listed[2], listed[3]}
