-- Takes requests from a bucket, in its open window or in a new one.
-- KEYS: the bucket
-- ARGV: number of requests, length of a window in ms
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local ends_in = redis.call('PTTL', KEYS[1])
if ends_in < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  ends_in = ARGV[2]
end
return {tostring(used), tostring(ends_in)}
