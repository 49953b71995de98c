-- Takes from a bucket: so many more were used in the window that is open, or in one that begins now.
-- KEYS: the bucket
-- ARGV: how many, length of a window in ms
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  left = ARGV[2]
end
return {tostring(used), tostring(left)}
