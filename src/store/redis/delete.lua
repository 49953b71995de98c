-- Removes an encounter.
-- KEYS: doc, log, and the answers of even and of odd time spans
-- ARGV: channel, id
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local found = redis.call('HMGET', KEYS[1], 'revision', 'application', 'place', 'layout')
if found[1] and found[4] ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. (found[4] or '0'))
end
redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[2] .. ':new', KEYS[3], KEYS[4])
if found[1] then
  redis.call('PUBLISH', ARGV[1], ARGV[2] .. ' -')
end
return {found[1], found[2], found[3]}
