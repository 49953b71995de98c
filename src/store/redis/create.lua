-- Keeps a new encounter. Returns the first base of one that exists, and the encounter's application and position in its list.
-- KEYS: doc, log, and the answers of even and of odd time spans
-- ARGV: document, base, ttl in ms (0 = never), nonce of this write, first revision, version of the base, newest version,
-- version of the first entry, application ('' = none) and position in its list, bytes of the entries, entries
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local found = redis.call('HMGET', KEYS[1], 'revision', 'creator', 'created', 'base', 'application', 'place', 'layout')
if found[1] then
  if found[7] ~= LAYOUT then
    return redis.error_reply('LAYOUT ' .. (found[7] or '0'))
  end
  if found[2] == ARGV[4] then
    return {false, found[5], found[6]} -- this very write, sent again after a broken connection
  end
  return {found[3] or found[4] or '', found[5], found[6]}
end
local application, position = false, false
if ARGV[9] ~= '' then
  application, position = ARGV[9], ARGV[10]
end
redis.call('HSET', KEYS[1], 'revision', ARGV[5], 'version', ARGV[7], 'document', ARGV[1],
  'base_version', ARGV[6], 'base', ARGV[2], 'creator', ARGV[4], 'log_bytes', ARGV[11],
  'layout', LAYOUT)
-- An eviction may have removed the document and left the rest. This comes after the first write, the only one that a full server
-- refuses.
redis.call('UNLINK', KEYS[2], KEYS[2] .. ':new', KEYS[3], KEYS[4])
if position then
  redis.call('HSET', KEYS[1], 'application', application, 'place', position)
end
for i = 12, #ARGV do
  redis.call('XADD', KEYS[2], string.format('%.0f-0', ARGV[8] + i - 12), 'e', ARGV[i], 'w', ARGV[4])
end
if ARGV[3] ~= '0' then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
end
return {false, application, position}
