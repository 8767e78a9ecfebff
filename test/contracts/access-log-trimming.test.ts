import { beforeEach, expect, test } from 'bun:test';
import { describeAccess } from '../../services/analytics/operations/access-log.ts';
import { KEPT_ADDRESSES, KEPT_VALUES } from '../../services/analytics/repository/rankings.ts';
import { createRankingTrim, KEPT_TODAY } from '../../services/analytics/sweep/trim-rankings.ts';
import { accessEvent, NOON } from '../access-events.ts';
import { accessBatch, DAY_MS, useAccessLog } from './access-log-operations.ts';

const log = useAccessLog();
const { deps } = log;
beforeEach(() => log.clear());

const dayBefore = (days: number) => new Date(NOON - days * DAY_MS).toISOString().slice(0, 10);

/** Counts values of a day as if each had been requested `requests` times. */
async function addPaths(daysAgo: number, count: number, requests = 1): Promise<void> {
  await deps.sql`
    insert into access_day_values (day, dimension, value, requests)
    select ${dayBefore(daysAgo)}::text::date, 'path', ${`/${requests}/`} || n, ${requests}
    from generate_series(1, ${count}::int) as n`;
}

async function addAddresses(daysAgo: number, count: number): Promise<void> {
  await deps.sql`
    insert into access_day_ips (day, client_ip, requests)
    select ${dayBefore(daysAgo)}::text::date, '2001:db8::' || to_hex(n), n from generate_series(1, ${count}::int) as n`;
  await deps.sql`
    insert into access_days (day, requests, clients)
    values (${dayBefore(daysAgo)}::text::date, ${(count * (count + 1)) / 2}, ${count})`;
}

interface Kept {
  day: string;
  count: number;
  least: number;
}

const paths = async () =>
  Array.from(
    await deps.sql<Kept[]>`
      select day::text as day, count(*), min(requests) as least from access_day_values
      where dimension = 'path' group by 1 order by 1 desc`,
  );
const addresses = async () =>
  Array.from(
    await deps.sql<Kept[]>`
      select day::text as day, count(*), min(requests) as least from access_day_ips group by 1 order by 1 desc`,
  );

async function trim(): Promise<number> {
  const run = createRankingTrim(deps);
  for (let done = 0; ; ) {
    const batch = await run();
    done += batch.done;
    if (!batch.more) return done;
  }
}

test('of each day the most frequent values stay, more of the running one: limit −1, 0, +1', async () => {
  await Promise.all([
    addPaths(0, 1, 9),
    addPaths(0, KEPT_TODAY),
    addPaths(1, 1, 9),
    addPaths(1, KEPT_VALUES),
    addPaths(2, KEPT_VALUES),
    addPaths(3, KEPT_VALUES - 1),
  ]);
  expect(await trim()).toBe(2);
  expect(await paths()).toEqual([
    { day: dayBefore(0), count: KEPT_TODAY, least: 1 },
    { day: dayBefore(1), count: KEPT_VALUES, least: 1 },
    { day: dayBefore(2), count: KEPT_VALUES, least: 1 },
    { day: dayBefore(3), count: KEPT_VALUES - 1, least: 1 },
  ]);
  // Of the others a thousand equally frequent ones are read of each day, whichever they are.
  expect((await describeAccess(deps, { days: 2 })).paths[0]).toEqual({ value: '/9/1', requests: 18 });
  expect(await trim()).toBe(0);
});

test('addresses are all kept while late events may come, and how many there were is known afterwards', async () => {
  for (const days of [2, 3]) await addAddresses(days, KEPT_ADDRESSES + 1);
  await addAddresses(4, KEPT_ADDRESSES);
  expect(await trim()).toBe(1);
  expect(await addresses()).toEqual([
    { day: dayBefore(2), count: KEPT_ADDRESSES + 1, least: 1 },
    { day: dayBefore(3), count: KEPT_ADDRESSES, least: 2 },
    { day: dayBefore(4), count: KEPT_ADDRESSES, least: 1 },
  ]);
  const found = await describeAccess(deps, { days: 5 });
  expect(found.days.map(({ uniqueIps }) => uniqueIps)).toEqual([
    KEPT_ADDRESSES,
    KEPT_ADDRESSES + 1,
    KEPT_ADDRESSES + 1,
    0,
    0,
  ]);
  expect(found.uniqueIps).toBe(KEPT_ADDRESSES + 1);
  expect(found.ips[0]).toEqual({
    value: `2001:db8::${KEPT_ADDRESSES.toString(16)}`,
    requests: 3 * KEPT_ADDRESSES,
  });
});

test('sweeps at once, while values are being counted, remove as much as one would, and no count of a frequent one', async () => {
  await addPaths(0, 5, 100);
  await addPaths(0, KEPT_TODAY + 12_000);
  const writes = Array.from({ length: 10 }, (_, n) => {
    const frequent = Array.from({ length: 5 }, (_, m) => accessEvent({ path: `/100/${m + 1}` }));
    const rare = Array.from({ length: 200 }, (_, m) => accessEvent({ path: `/1/${n * 1_500 + m + 1}` }));
    return log.write(accessBatch([...frequent, ...rare]));
  });
  await Promise.all([trim(), trim(), trim(), ...writes]);
  await trim();
  expect(await paths()).toEqual([{ day: dayBefore(0), count: KEPT_TODAY, least: 1 }]);
  const [first] = (await describeAccess(deps, { days: 1 })).paths;
  expect(first).toEqual({ value: '/100/1', requests: 110 });
}, 60_000);

test('a value that another is counting is passed over, not waited for', async () => {
  await addPaths(1, KEPT_VALUES + 2);
  const [last] = await deps.sql<Array<{ value: string }>>`
    select value from access_day_values order by value collate "C" desc limit 1`;
  await deps.sql.begin(async (tx) => {
    await tx`update access_day_values set requests = requests where value = ${last?.value ?? ''}`;
    expect(await trim()).toBe(1);
  });
  expect(await trim()).toBe(1);
  expect(await paths()).toEqual([{ day: dayBefore(1), count: KEPT_VALUES, least: 1 }]);
});

test('an address counts once in its day, whichever batch and writer brings it', async () => {
  const events = [1, 2, 3, 1].map((n) => accessEvent({ clientIp: `192.0.2.${n}` }));
  const earlier = accessEvent({ at: NOON - DAY_MS });
  await Promise.all(Array.from({ length: 6 }, () => log.write(accessBatch([...events, earlier]))));
  expect((await describeAccess(deps, { days: 2 })).days).toEqual([
    { date: dayBefore(1), requests: 6, uniqueIps: 1 },
    { date: dayBefore(0), requests: 24, uniqueIps: 3 },
  ]);
});
