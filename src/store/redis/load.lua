-- Reads the state, unless the caller has this revision, and the answer under a key.
-- KEYS: doc, and the answers of even and of odd time spans
-- ARGV: known revision or '', key digest or ''
local head = redis.call('HMGET', KEYS[1], 'revision', 'version', 'log_bytes')
local state, answer = false, false
if head[1] ~= ARGV[1] then
  state = redis.call('HMGET', KEYS[1], 'document_version', 'document', 'later1', 'later2', 'later3')
end
if ARGV[2] ~= '' then
  answer = redis.call('HGET', KEYS[2], ARGV[2]) or redis.call('HGET', KEYS[3], ARGV[2])
end
return {head, state, answer}
