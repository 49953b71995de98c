-- Compares and sets one encounter. Whatever can be refused is refused before the first write.
-- KEYS: doc, log, and the answers of even and of odd spans of time
local expected, revision, document, nonce = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local ttl, keep, channel, id = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]
local entry_version, previous_version, entry = ARGV[9], ARGV[10], ARGV[11] -- '' = no entry
local digest, answer = ARGV[12], ARGV[13]                                  -- '' = no answer
local rebase_version, rebase = ARGV[14], ARGV[15]                          -- '' = no rebase

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local have = redis.call('HMGET', KEYS[1], 'revision', 'version', 'lease', 'silent', 'base_version')

-- Whether this very write was applied before: it is sent again when a connection breaks. Entries carry the nonce of their
-- write; of the writes without an entry the newest 32 nonces are kept.
local function applied()
  if entry_version ~= '' then
    local at = redis.call('XRANGE', KEYS[2], entry_version .. '-0', entry_version .. '-0')
    return at[1] and at[1][2][4] == nonce
  end
  return have[4] and string.find(have[4], nonce, 1, true)
end

if digest ~= '' then
  local before = redis.call('HGET', KEYS[3], digest) or redis.call('HGET', KEYS[4], digest)
  if before then
    if applied() then
      return {'done'}
    end
    return {'replayed', before}
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
  if to > tonumber(version) or to < tonumber(have[5]) then
    return {'corrupt', 'a base at ' .. rebase_version .. ' does not lie between ' .. have[5] .. ' and ' .. version}
  end
end

-- First the write that a strange log could refuse.
if entry_version ~= '' then
  redis.call('XADD', KEYS[2], entry_version .. '-0', 'e', entry, 'w', nonce)
else
  redis.call('HSET', KEYS[1], 'silent', string.sub((have[4] or '') .. nonce, -32 * string.len(nonce)))
end
redis.call('HSET', KEYS[1], 'revision', revision, 'version', version, 'document', document)
if rebase_version ~= '' then
  -- A repeated creation is answered with the first base, so that one stays.
  redis.call('HSETNX', KEYS[1], 'created', redis.call('HGET', KEYS[1], 'base'))
  redis.call('HSET', KEYS[1], 'base_version', rebase_version, 'base', rebase)
  redis.call('XTRIM', KEYS[2], 'MINID', rebase_version .. '-1')
end

-- Time falls into spans as long as an answer is kept. Those of even spans are in one hash, those of odd spans in the other, and each
-- hash is gone when the next span of its kind begins: an answer is kept for one span at least and two at most, nothing to prune.
local span, life = math.floor(now / keep), tonumber(ttl)
local step = math.floor(life / 64) + 1
local function expire_answers(age)
  local gone = (span - age + 2) * keep
  if life > 0 and now + life + step < gone then
    gone = now + life + step
  end
  redis.call('PEXPIREAT', KEYS[3 + (span - age) % 2], gone)
end
if digest ~= '' then
  redis.call('HSET', KEYS[3 + span % 2], digest, answer)
  expire_answers(0)
end

-- Expiries are set a step of a 64th longer than is asked for, and again only when the step is over: most commits need not. The
-- lease tells what was set when; a log that only begins has nothing yet.
local lease = ttl .. ' ' .. math.floor(now / step)
if have[3] ~= lease or have[2] == have[5] then
  redis.call('HSET', KEYS[1], 'lease', lease)
  for i = 1, 2 do
    if life > 0 then
      redis.call('PEXPIRE', KEYS[i], life + step)
    else
      redis.call('PERSIST', KEYS[i])
    end
  end
  expire_answers(0)
  expire_answers(1)
end
redis.call('PUBLISH', channel, id .. ' ' .. version)
return {'done'}
