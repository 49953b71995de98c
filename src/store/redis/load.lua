-- Reads the document (unless the caller has this revision) and the answer under a key.
-- KEYS: doc, answers, answered
-- ARGV: known revision or '', key digest or '', life of an answer in ms
local have = redis.call('HMGET', KEYS[1], 'revision', 'version')
if not have[1] then
  return false
end
local document = false
if have[1] ~= ARGV[1] then
  document = redis.call('HGET', KEYS[1], 'document')
end
local answer = false
if ARGV[2] ~= '' then
  local at = redis.call('ZSCORE', KEYS[3], ARGV[2])
  if at then
    local time = redis.call('TIME')
    if tonumber(at) + tonumber(ARGV[3]) > time[1] * 1000 + math.floor(time[2] / 1000) then
      answer = redis.call('HGET', KEYS[2], ARGV[2])
    end
  end
end
return {have[1], have[2], document, answer}
