/**
 * The scripts of the Redis cache. A route is stored as `<O|C><version>|<JSON>`: O for open (a read counts at once),
 * C for closed (protected or removed). Each script touches keys of one hash tag only, as Redis Cluster wants.
 */

/** KEYS route, views; ARGV views to count. Returns the route and the views, counted when the route is open. */
const VISIT = `
local route = redis.call('GET', KEYS[1])
if not route then return {false, 0} end
local count = tonumber(ARGV[1])
if count > 0 and string.sub(route, 1, 1) == 'O' then
  local views = redis.call('INCRBY', KEYS[2], count)
  if views == count then redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1])) end
  return {route, views}
end
return {route, tonumber(redis.call('GET', KEYS[2]) or '0')}`;

/** KEYS route, views; ARGV version, record, expiry (ms epoch), 1 when removed. Returns 1 unless a newer one stands. */
const PUT_ROUTE = `
local standing = redis.call('GET', KEYS[1])
if standing and tonumber(string.match(standing, '^.(%d+)|')) > tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PXAT', ARGV[3])
if ARGV[4] == '1' then redis.call('DEL', KEYS[2]) else redis.call('PEXPIREAT', KEYS[2], ARGV[3]) end
return 1`;

/** KEYS route, views; ARGV views to add, ms to keep a counter whose route is unknown. Returns the views. */
const ADD_VIEWS = `
if ARGV[1] == '0' then return tonumber(redis.call('GET', KEYS[2]) or '0') end
local views = redis.call('INCRBY', KEYS[2], ARGV[1])
if redis.call('PTTL', KEYS[2]) < 0 then
  local left = redis.call('PTTL', KEYS[1])
  if left < 0 then left = tonumber(ARGV[2]) end
  redis.call('PEXPIRE', KEYS[2], left)
end
return views`;

/** KEYS window; ARGV hits to add (0 to look, never below none), seconds. Returns hits and ms until the window ends. */
const HIT = `
local amount = tonumber(ARGV[1])
local hits
if amount > 0 then
  hits = redis.call('INCRBY', KEYS[1], amount)
else
  hits = tonumber(redis.call('GET', KEYS[1]) or '0')
  if amount < 0 and hits > 0 then hits = redis.call('INCRBY', KEYS[1], math.max(amount, -hits)) end
end
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  left = tonumber(ARGV[2]) * 1000
  if amount > 0 then redis.call('PEXPIRE', KEYS[1], left) end
end
return {hits, left}`;

/** In the form ioredis takes at construction. */
export const SCRIPTS = {
  visit: { lua: VISIT, numberOfKeys: 2 },
  putRoute: { lua: PUT_ROUTE, numberOfKeys: 2 },
  addViews: { lua: ADD_VIEWS, numberOfKeys: 2 },
  hitWindow: { lua: HIT, numberOfKeys: 1 },
};
