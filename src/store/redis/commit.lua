-- Compares and sets one encounter. Every check comes before the first write.
-- KEYS: doc, log, and the answers of even and of odd time spans
local LAYOUT = '1' -- LAYOUT in src/store/mod.rs
local expected, revision, document, nonce = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local ttl, keep, channel, id = ARGV[5], tonumber(ARGV[6]), ARGV[7], ARGV[8]
local entry_version, previous_version, entry = ARGV[9], ARGV[10], ARGV[11] -- '' = no entry
local digest, answer = ARGV[12], ARGV[13]                                  -- '' = no answer
local rebase_version, new_base = ARGV[14], ARGV[15]                          -- '' = no new_base
local log_bytes = ARGV[16]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- The stored field 'lease' says which expiry was set and when; 'silent' holds the recent nonces of writes without an entry.
local found = redis.call('HMGET', KEYS[1], 'revision', 'version', 'lease', 'silent', 'base_version', 'log_bytes', 'layout')
local current_version, expiry_set, recent_nonces, base_version = found[2], found[3], found[4], found[5]
if found[1] and found[7] ~= LAYOUT then
  return redis.error_reply('LAYOUT ' .. (found[7] or '0'))
end

-- Whether this very write was applied before: it is sent again when a connection breaks. Entries carry the nonce of their write; of
-- writes without an entry the newest 32 nonces are kept.
local function applied()
  if entry_version ~= '' then
    local at = redis.call('XRANGE', KEYS[2], entry_version .. '-0', entry_version .. '-0')
    return at[1] and at[1][2][4] == nonce
  end
  return recent_nonces and string.find(recent_nonces, nonce, 1, true)
end

if digest ~= '' then
  local recorded = redis.call('HGET', KEYS[3], digest) or redis.call('HGET', KEYS[4], digest)
  if recorded then
    if applied() then
      return {'done', false, false, false, false}
    end
    return {'replayed', recorded, false, false, false}
  end
end
if not found[1] then
  return {'missing', false, false, false, false}
end
if found[1] ~= expected then
  if applied() then
    return {'done', false, false, false, false}
  end
  return {'conflict', redis.call('HGET', KEYS[1], 'document'), found[1], current_version, found[6]}
end

-- The log holds an entry for each version above its base. It holds more after a write that was refused in the middle, because a login
-- lacks a right, and less after an eviction.
local length = current_version - base_version
local newest = redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', 1)[1]
local ends_at_version = not newest or newest[1] == current_version .. '-0'
local log_is_whole = redis.call('XLEN', KEYS[2]) == length and ends_at_version
-- A stream takes no id up to one that it has had, so the log is written anew. It stays as it is until the new one is whole.
local function drop_newer_entries()
  local kept = redis.call('XRANGE', KEYS[2], '-', current_version .. '-0')
  if #kept == 0 then
    redis.call('UNLINK', KEYS[2])
    return
  end
  local new_log = KEYS[2] .. ':new'
  redis.call('UNLINK', new_log)
  for _, entry in ipairs(kept) do
    redis.call('XADD', new_log, entry[1], unpack(entry[2]))
  end
  redis.call('RENAME', new_log, KEYS[2])
end

local version = current_version
if entry_version ~= '' then
  if version ~= previous_version then
    return {'corrupt', 'entry ' .. entry_version .. ' does not follow version ' .. version, false, false, false}
  end
  version = entry_version
end
if rebase_version ~= '' then
  local to = tonumber(rebase_version)
  if to > tonumber(version) or to < tonumber(base_version) then
    local range = base_version .. ' and ' .. version
    return {'corrupt', 'a base at ' .. rebase_version .. ' does not lie between ' .. range, false, false, false}
  end
end

-- The base comes last, so that what a login may not do keeps the log longer and loses nothing of it.
local function set_base(version, document)
  -- A repeated creation returns the first base, so that one stays.
  redis.call('HSETNX', KEYS[1], 'created', redis.call('HGET', KEYS[1], 'base'))
  redis.call('XTRIM', KEYS[2], 'MINID', version .. '-1')
  redis.call('HSET', KEYS[1], 'base_version', version, 'base', document)
end

local outcome = 'done'
if not log_is_whole then
  drop_newer_entries()
  if redis.call('XLEN', KEYS[2]) ~= length then
    outcome, log_bytes, rebase_version = 'anew', string.len(entry), ''
    redis.call('UNLINK', KEYS[2])
    set_base(current_version, redis.call('HGET', KEYS[1], 'document'))
  end
end
-- First the write that a strange log could refuse.
if entry_version ~= '' then
  redis.call('XADD', KEYS[2], entry_version .. '-0', 'e', entry, 'w', nonce)
else
  redis.call('HSET', KEYS[1], 'silent', string.sub((recent_nonces or '') .. nonce, -32 * string.len(nonce)))
end
redis.call('HSET', KEYS[1], 'revision', revision, 'version', version, 'document', document, 'log_bytes', log_bytes)

-- Answers are grouped by time spans as long as an answer is kept: even spans in one hash, odd spans in the other. A hash expires when
-- the next span of its kind begins, so nothing is pruned, and an answer is kept for one to two spans.
local span, life = math.floor(now / keep), tonumber(ttl)
local step = math.floor(life / 64) + 1
local function expire_answers(age)
  local expires = (span - age + 2) * keep
  if life > 0 and now + life + step < expires then
    expires = now + life + step
  end
  redis.call('PEXPIREAT', KEYS[3 + (span - age) % 2], expires)
end
if digest ~= '' then
  redis.call('HSET', KEYS[3 + span % 2], digest, answer)
  expire_answers(0)
end
if rebase_version ~= '' then
  set_base(rebase_version, new_base)
end

-- Expiries are set a 64th longer than asked for, and renewed once in that step: most commits need not. A log without entries had no
-- expiry yet, nor has one that begins anew.
local expiry = ttl .. ' ' .. math.floor(now / step)
if expiry_set ~= expiry or current_version == base_version or not log_is_whole then
  redis.call('HSET', KEYS[1], 'lease', expiry)
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
return {outcome, false, false, false, false}
