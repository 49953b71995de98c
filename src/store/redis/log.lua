-- Reads a page of the log, but at least one entry if there is any.
-- KEYS: doc, log
-- ARGV: first version, maximum entries, maximum bytes
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local found = redis.call('HMGET', KEYS[1], 'version', 'base_version', 'layout')
if not found[1] then
  return false
end
if found[3] ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. (found[3] or '0'))
end
-- After an eviction nothing is left, or less than can be folded: the log is as empty as after its compaction.
if found[2] and redis.call('XLEN', KEYS[2]) < found[1] - found[2] then
  return {found[1], found[1], {}}
end
-- Above the newest version stands what a write left that was refused in the middle.
local start, newest = ARGV[1] .. '-0', found[1] .. '-0'
local left, room = tonumber(ARGV[2]), tonumber(ARGV[3])
local page = {}
while left > 0 do
  local want = math.min(left, 64)
  local chunk = redis.call('XRANGE', KEYS[2], start, newest, 'COUNT', want)
  for _, entry in ipairs(chunk) do
    local bytes = entry[2][2]
    room = room - string.len(bytes)
    if room < 0 and #page > 0 then
      return {found[1], found[2], page}
    end
    page[#page + 1] = entry[1]
    page[#page + 1] = bytes
  end
  if #chunk < want then
    break
  end
  left = left - want
  start = '(' .. chunk[want][1]
end
return {found[1], found[2], page}
