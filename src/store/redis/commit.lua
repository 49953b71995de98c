-- Compares and sets one encounter. Whatever can be refused is refused before the first write.
-- KEYS: doc, log, answers, answered
local expected, next_revision, document, nonce = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local ttl, keep, channel, id = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]
local entry_version, previous_version, entry = ARGV[9], ARGV[10], ARGV[11] -- '' = no entry
local digest, answer = ARGV[12], ARGV[13]                                  -- '' = no answer
local rebase_version, rebase = ARGV[14], ARGV[15]                          -- '' = no rebase

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local have = redis.call('HMGET', KEYS[1], 'revision', 'version', 'silent', 'base_version')

-- Whether this very write was applied before: it is sent again when a connection breaks. Entries carry the nonce of their
-- write; of the writes without an entry the newest 32 nonces are kept.
local function applied()
  if entry_version ~= '' then
    local at = redis.call('XRANGE', KEYS[2], entry_version .. '-0', entry_version .. '-0')
    return at[1] and at[1][2][4] == nonce
  end
  return have[3] and string.find(have[3], nonce, 1, true)
end

if digest ~= '' then
  local at = redis.call('ZSCORE', KEYS[4], digest)
  if at and tonumber(at) + keep > now then
    local before = redis.call('HGET', KEYS[3], digest)
    if before then
      if applied() then
        return {'done'}
      end
      return {'replayed', before}
    end
  end
end
if not have[1] then
  return {'missing'}
end
if have[1] ~= expected then
  if applied() then
    return {'done'}
  end
  return {'conflict', have[1], have[2], redis.call('HGET', KEYS[1], 'document')}
end

local version = have[2]
if entry_version ~= '' then
  if version ~= previous_version then
    return {'corrupt', 'entry ' .. entry_version .. ' does not follow version ' .. version}
  end
  version = entry_version
end
if rebase_version ~= '' then
  local to = tonumber(rebase_version)
  if to > tonumber(version) or to < tonumber(have[4]) then
    return {'corrupt', 'a base at ' .. rebase_version .. ' does not lie between ' .. have[4] .. ' and ' .. version}
  end
end

-- First the write that a strange log could refuse.
if entry_version ~= '' then
  redis.call('XADD', KEYS[2], entry_version .. '-0', 'e', entry, 'w', nonce)
else
  redis.call('HSET', KEYS[1], 'silent', string.sub((have[3] or '') .. nonce, -32 * string.len(nonce)))
end
redis.call('HSET', KEYS[1], 'revision', next_revision, 'version', version, 'document', document)
if rebase_version ~= '' then
  -- A repeated creation is answered with the first base, so that one stays.
  redis.call('HSETNX', KEYS[1], 'created', redis.call('HGET', KEYS[1], 'base'))
  redis.call('HSET', KEYS[1], 'base_version', rebase_version, 'base', rebase)
  redis.call('XTRIM', KEYS[2], 'MINID', rebase_version .. '-1')
end
if digest ~= '' then
  local old = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now - keep, 'LIMIT', 0, 100)
  for _, key in ipairs(old) do
    redis.call('HDEL', KEYS[3], key)
    redis.call('ZREM', KEYS[4], key)
  end
  redis.call('HSET', KEYS[3], digest, answer)
  redis.call('ZADD', KEYS[4], now, digest)
end
for _, key in ipairs(KEYS) do
  if ttl ~= '0' then
    redis.call('PEXPIREAT', key, now + tonumber(ttl))
  else
    redis.call('PERSIST', key)
  end
end
redis.call('PUBLISH', channel, id .. ' ' .. version)
return {'done'}
