-- Reads the document that the log is folded from. A log that is not whole is none: then that is the newest document.
-- KEYS: doc, log
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local found = redis.call('HMGET', KEYS[1], 'version', 'base_version', 'layout')
if not found[1] then
  return false
end
if found[3] ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. (found[3] or '0'))
end
if found[2] and redis.call('XLEN', KEYS[2]) < found[1] - found[2] then
  return {found[1], redis.call('HGET', KEYS[1], 'document')}
end
return {found[2], redis.call('HGET', KEYS[1], 'base')}
