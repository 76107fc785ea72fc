/** The Lua scripts of the shared windows: each runs whole, with nothing between its steps (SPEC 4.5, 10). */
import { createHash } from 'node:crypto';

export interface Script {
  readonly text: string;
  /** By which the server knows a text that it ran before. Undefined for a short one, which is sent whole each time. */
  readonly digest: string | undefined;
}

const sentOnce = (text: string): Script => ({ text, digest: createHash('sha1').update(text).digest('hex') });
/** What is asked after it must find it done: with a digest that the server does not know it would be done too late. */
const sentWhole = (text: string): Script => ({ text, digest: undefined });

/**
 * A place in every window, or in none. A window is a sorted set of attempts by time; the name of one under way begins
 * with `p`, that of a failure with `f`.
 *
 * KEYS: the windows. ARGV: the attempt; the time in milliseconds, or nothing for the server's own; then for each window
 * how many clauses, and count and milliseconds of each.
 * Answers {0}, or {window, clause, milliseconds to wait, 1 when an attempt in it is under way}.
 */
export const RESERVE = sentOnce(`
local function text(number) return string.format('%.0f', number) end
local now = tonumber(ARGV[2])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local at = 3
local longest = {}
for window, key in ipairs(KEYS) do
  -- The clock was set back, or another server took over: such an attempt is as old as can be, that is, of now.
  for _, late in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf')) do
    redis.call('ZADD', key, text(now), late)
  end
  local clauses = tonumber(ARGV[at])
  at = at + 1
  longest[window] = 0
  local full, wait = 0, -1
  for clause = 1, clauses do
    local count, length = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
    at = at + 2
    longest[window] = math.max(longest[window], length)
    if redis.call('ZCOUNT', key, '(' .. text(now - length), '+inf') >= count then
      local left = length
      if count > 0 then
        local first = redis.call('ZRANGE', key, -count, -count, 'WITHSCORES')
        left = length - (now - tonumber(first[2]))
      end
      if left > wait then full, wait = clause, left end
    end
  end
  if full > 0 then
    local underWay = 0
    for _, attempt in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now - 30000), '+inf')) do
      if string.sub(attempt, 1, 1) == 'p' then underWay = 1 end
    end
    return {window, full, text(wait), underWay}
  end
end
for window, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - longest[window]))
  redis.call('ZADD', key, text(now), 'p' .. ARGV[1])
  -- A minute more than is needed: the clock of the server that takes over may be ahead.
  redis.call('PEXPIRE', key, text(longest[window] + 60000))
end
return {0}
`);

/** The attempt failed. One that is not there any more is not made again. KEYS: the windows. ARGV: the attempt. */
export const KEEP = sentWhole(`
for _, key in ipairs(KEYS) do
  local time = redis.call('ZSCORE', key, 'p' .. ARGV[1])
  if time then
    redis.call('ZADD', key, time, 'f' .. ARGV[1])
    redis.call('ZREM', key, 'p' .. ARGV[1])
  end
end
return {0}
`);

/** The attempt did not fail: its places are free. A failure that was kept stays. KEYS: the windows. ARGV: the attempt. */
export const RELEASE = sentWhole(`
for _, key in ipairs(KEYS) do redis.call('ZREM', key, 'p' .. ARGV[1]) end
return {0}
`);

/** A write, as the others are: a server that only reads, or has no memory left, fails it. KEYS: any. */
export const PROBE = sentWhole(`
redis.call('SET', KEYS[1], '1', 'PX', 60000)
return {0}
`);
