-- Tries the writes of a commit on a key that is gone afterwards. A full server refuses the first, a login without a right any of them.
-- KEYS: the key
local writes = {
  {'HSET', 'field', 'value'}, {'HSETNX', 'field', 'value'},
  {'PERSIST'}, {'PEXPIREAT', 9999999999999}, {'PEXPIRE', 1000}, {'UNLINK'},
  {'XADD', '1-0', 'e', ''}, {'PEXPIRE', 1000}, {'XTRIM', 'MINID', '0-1'}, {'RENAME', KEYS[1]}, {'UNLINK'},
}
for _, write in ipairs(writes) do
  local reply = redis.pcall(write[1], KEYS[1], unpack(write, 2))
  if type(reply) == 'table' and reply.err then
    redis.pcall('UNLINK', KEYS[1])
    return redis.error_reply(reply.err .. ' (' .. write[1] .. ')')
  end
end
return 'ready'
