import { bundleScript } from './redis-bundles.ts';
import { LUA_IS_FULL } from './redis-full.ts';

/**
 * The scripts of the Redis cache, on records as `redis-records.ts` writes them. Each script touches keys of one
 * hash tag only, as Redis Cluster wants.
 */

/**
 * Reads the item record KEYS[1] and the counter KEYS[2], which grows by ARGV[1] when the item record is open. While Redis is full it
 * cannot: `missed` is 1 then, and the item record is served all the same.
 */
const COUNT_VISIT = `${LUA_IS_FULL}
local itemRecord = redis.call('GET', KEYS[1])
if not itemRecord then return {false, 0, 0} end
local count = tonumber(ARGV[1])
local views = false
local missed = 0
if count > 0 and string.sub(itemRecord, 1, 1) == 'O' then
  views = redis.pcall('INCRBY', KEYS[2], count)
  if views == count then
    redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]))
  elseif isFull(views) then
    views = false
    missed = 1
  elseif type(views) == 'table' then
    return views
  end
end
if not views then views = tonumber(redis.call('GET', KEYS[2]) or '0') end`;

/**
 * KEYS item record, views; ARGV views to count. Returns the item record, the views, counted when the item record is open, and whether that
 * was missed.
 */
const VISIT = `${COUNT_VISIT}
return {itemRecord, views, missed}`;

/** KEYS item record, views, entries; ARGV views to count, key of the store. Returns what VISIT does, and the key's record. */
const VISIT_ENTRY = `${COUNT_VISIT}
return {itemRecord, views, missed, redis.call('HGET', KEYS[3], ARGV[2])}`;

/**
 * KEYS item record, views, entries, mark of an unseeded counter, code of a counter without an item record; ARGV
 * version, record, expiry (ms epoch), short code or nothing when removed, saved views. Returns 1, or 0 when a newer
 * record is there. Data of an earlier item under this address is dropped, also when its removal was not announced. A
 * full Redis does not take an item that it does not know (-1); one that it knows is replaced, or an outdated record
 * would be served.
 */
const PUT_RECORD = `${LUA_IS_FULL}
local existing = redis.call('GET', KEYS[1])
if existing and tonumber(string.match(existing, '^.(%d+)|')) > tonumber(ARGV[1]) then return 0 end
local put = redis.pcall('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
if isFull(put) then
  if not existing then return -1 end
  redis.call('UNLINK', KEYS[1])
  redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
elseif put.err then
  return put
end
local code = existing and string.match(existing, '^.%d+|(%w*)|')
if not existing then
  code = redis.call('GET', KEYS[5])
  if code then redis.call('UNLINK', KEYS[5]) end
end
if ARGV[4] == '' or (code and code ~= ARGV[4]) then
  redis.call('UNLINK', KEYS[2], KEYS[3], KEYS[4])
else
  redis.call('PEXPIREAT', KEYS[2], ARGV[3])
  redis.call('PEXPIREAT', KEYS[3], ARGV[3])
end
local saved = tonumber(ARGV[5])
local counted = tonumber(redis.call('GET', KEYS[2]) or '0')
local views = math.max(counted, saved)
if redis.call('UNLINK', KEYS[4]) == 1 then views = counted + saved end
if views > counted then redis.call('SET', KEYS[2], views, 'PXAT', ARGV[3]) end
return 1`;

/**
 * KEYS item record, views, code of a counter without an item record; ARGV version, or nothing for whichever stands. The counter stays,
 * and which item it is of.
 */
const FORGET_RECORD = `
local existing = redis.call('GET', KEYS[1])
if not existing then return end
local version, code = string.match(existing, '^.(%d+)|(%w*)|')
if ARGV[1] ~= '' and ARGV[1] ~= version then return end
redis.call('UNLINK', KEYS[1])
local left = redis.call('PTTL', KEYS[2])
if code ~= '' and left > 0 then redis.call('SET', KEYS[3], code, 'PX', left) end`;

/**
 * KEYS state, items put lately; ARGV identity of the server (`redis-trust.ts`), part, told until, start of the database, since
 * when items put are remembered. Returns 0 when the server has another identity by now, 1 otherwise. A cluster's is that
 * of all its servers, which one of them cannot tell. The removal comes first, as a full Redis then takes the mark, too.
 */
const SET_CURRENT = `
local run = string.match(redis.call('INFO', 'server'), 'run_id:(%w+)')
local line = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
if ARGV[1] ~= 'cluster' and (run ~= ARGV[1] or line ~= ARGV[2]) then return 0 end
local part = ARGV[3]
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[6])
redis.call('HSET', KEYS[1], part .. '.told', ARGV[4], part .. '.database', ARGV[5],
  part .. '.run', ARGV[1], part .. '.line', ARGV[2])
return 1`;

/**
 * KEYS item record, entries; ARGV expiry (ms epoch), then key of the store, sequence, record of one value after the other.
 * Returns for each 1 unless a higher sequence stands or the store has ended or was removed: a late put would leave a
 * record that nobody removes. Only the item record shortens the life of all records: a put may carry the expiry of before a
 * renewal, and records lost early would let an older one in. While Redis is full a record replaces one that is as large;
 * else -1 is returned for it.
 */
const PUT_ENTRIES = `${LUA_IS_FULL}
local full = false
local time = redis.call('TIME')
local left = tonumber(ARGV[1]) - time[1] * 1000 - math.floor(time[2] / 1000)
local ended = left <= 0 or redis.call('GETRANGE', KEYS[1], 0, 0) == 'R'
local put = {}
for at = 2, #ARGV, 3 do
  local existing = not ended and redis.call('HGET', KEYS[2], ARGV[at])
  if ended or (existing and tonumber(string.match(existing, '^(%d+)|')) > tonumber(ARGV[at + 1])) then
    put[#put + 1] = 0
  else
    local set = not full and redis.pcall('HSET', KEYS[2], ARGV[at], ARGV[at + 2])
    full = full or isFull(set)
    if not full and type(set) == 'table' then return set end
    if full and existing and #ARGV[at + 2] <= #existing then
      redis.call('HDEL', KEYS[2], ARGV[at])
      redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 2])
      set = 1
    end
    put[#put + 1] = type(set) == 'number' and 1 or -1
  end
end
if not ended and redis.call('PTTL', KEYS[2]) < left then redis.call('PEXPIREAT', KEYS[2], ARGV[1]) end
return put`;

/** KEYS entries; ARGV key of the store, sequence. */
const FORGET_ENTRY = `
local existing = redis.call('HGET', KEYS[1], ARGV[1])
if existing and tonumber(string.match(existing, '^(%d+)|')) == tonumber(ARGV[2]) then
  redis.call('HDEL', KEYS[1], ARGV[1])
end`;

/**
 * KEYS item record, views, mark of an unseeded counter; ARGV views to add, ms to keep a counter whose item record is unknown. Returns
 * the views. Nothing is added to a removed item: the next one under its address would begin with it. A counter that begins
 * without an item record may have been lost: what was saved of it comes with the item record.
 */
const ADD_VIEWS = `
if ARGV[1] == '0' then return tonumber(redis.call('GET', KEYS[2]) or '0') end
if redis.call('GETRANGE', KEYS[1], 0, 0) == 'R' then return 0 end
local existing = tonumber(redis.call('GET', KEYS[2]) or '0')
local amount = math.max(tonumber(ARGV[1]), -existing)
if amount == 0 then return existing end
local views = redis.call('INCRBY', KEYS[2], amount)
if redis.call('PTTL', KEYS[2]) < 0 then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then
    left = tonumber(ARGV[2])
    redis.call('SET', KEYS[3], '1', 'PX', left)
  end
  redis.call('PEXPIRE', KEYS[2], left)
end
return views`;

/** KEYS item record, views. Returns the short code, nothing when the item record is unknown, and the views. */
const COUNTER = `
local code = string.match(redis.call('GETRANGE', KEYS[1], 0, 99), '^.%d+|(%w*)|')
return {code or false, tonumber(redis.call('GET', KEYS[2]) or '0')}`;

/**
 * KEYS items by the first span they were viewed in, and by the last; ARGV item, up to when its views are saved, and so on.
 * Each goes, or is due by its last span when that came later. Removed first, it is put back also while Redis is full.
 */
const FORGET_VIEWED = `
for index = 1, #ARGV, 2 do
  local last = redis.call('ZSCORE', KEYS[2], ARGV[index])
  redis.call('ZREM', KEYS[1], ARGV[index])
  if last and tonumber(last) > tonumber(ARGV[index + 1]) then
    redis.call('ZADD', KEYS[1], last, ARGV[index])
  else
    redis.call('ZREM', KEYS[2], ARGV[index])
  end
end`;

/**
 * KEYS items by the first or the last span they were viewed in; ARGV the span they are put into instead, items. One that somebody has
 * saved meanwhile stays away. Removed first, each is put back also while Redis is full.
 */
const DEFER_VIEWED = `
for index = 2, #ARGV do
  if redis.call('ZREM', KEYS[1], ARGV[index]) == 1 then redis.call('ZADD', KEYS[1], ARGV[1], ARGV[index]) end
end`;

/**
 * KEYS window; ARGV hits to add (0 to look), seconds. Returns hits, -1 where there are none to take back, and ms until the
 * window ends.
 */
const HIT = `
local amount = tonumber(ARGV[1])
local hits
if amount > 0 then
  hits = redis.call('INCRBY', KEYS[1], amount)
else
  hits = tonumber(redis.call('GET', KEYS[1]) or '0')
  if amount < 0 then hits = hits > 0 and redis.call('INCRBY', KEYS[1], math.max(amount, -hits)) or -1 end
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2]) * 1000
  if amount > 0 then redis.call('PEXPIRE', KEYS[1], left) end
end
return {hits, left}`;

/** Scripts of which one command may run many. None runs a command that takes memory after one that takes none (`LUA_IS_FULL`). */
const BUNDLED_SCRIPTS = { visit: VISIT, visitEntry: VISIT_ENTRY, hitWindow: HIT };

export type BundledScript = keyof typeof BUNDLED_SCRIPTS;

/** Scripts in the form that ioredis takes at construction. */
export const SCRIPTS = {
  visit: { lua: VISIT, numberOfKeys: 2 },
  visitEntry: { lua: VISIT_ENTRY, numberOfKeys: 3 },
  putRecord: { lua: PUT_RECORD, numberOfKeys: 5 },
  forgetRecord: { lua: FORGET_RECORD, numberOfKeys: 3 },
  setCurrent: { lua: SET_CURRENT, numberOfKeys: 2 },
  putEntries: { lua: PUT_ENTRIES, numberOfKeys: 2 },
  forgetEntry: { lua: FORGET_ENTRY, numberOfKeys: 1 },
  addViews: { lua: ADD_VIEWS, numberOfKeys: 3 },
  counter: { lua: COUNTER, numberOfKeys: 2 },
  forgetViewed: { lua: FORGET_VIEWED, numberOfKeys: 2 },
  deferViewed: { lua: DEFER_VIEWED, numberOfKeys: 1 },
  hitWindow: { lua: HIT, numberOfKeys: 1 },
  bundle: { lua: bundleScript(BUNDLED_SCRIPTS) },
};
