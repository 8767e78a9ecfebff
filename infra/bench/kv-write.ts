import postgres from 'postgres';
import type { Bench, Findings } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { median, medianRatio, percentile } from './statistics.ts';
import { count, milliseconds, ratio } from './table.ts';
import { atLeast } from './verdicts.ts';

const IN_FLIGHT = 32;
const WRITES = 4000;
const WARM_UP = 500;
const KEYS = 500;
const ROUNDS = 3;
const VALUE = 'A value of one kilobyte. '.repeat(41).slice(0, 1024);

interface Outcome {
  perSecond: number;
  timesMs: number[];
}

/** PUTs of 1 KB values that are durable when they are answered, against committed upserts of a plain client. */
export async function kvWrite(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const json = { 'Content-Type': 'application/json' };
  const store = await ask(`${url}/api/kv`, {
    ...{ method: 'POST', headers: json },
    body: JSON.stringify({ key: 'k0', value: VALUE }),
  });
  const sql = postgres(servers.env.PG_URL ?? '', { max: IN_FLIGHT, onnotice: () => undefined });
  bench.defer(() => sql.end({ timeout: 2 }));
  await sql`create table plain_values (key text primary key, value text not null, updated_at timestamptz not null)`;
  const contenders = [
    {
      name: 'Perch',
      outcomes: [] as Outcome[],
      put: (n: number): Promise<unknown> =>
        ask(`${url}/api/kv/${store.namespace}/${store.id}/k${n % KEYS}`, {
          method: 'PUT',
          headers: { ...json, 'X-Owner-Token': store.ownerToken ?? '' },
          body: JSON.stringify({ value: `${n} ${VALUE}`.slice(0, VALUE.length) }),
        }),
    },
    {
      name: 'plain client',
      outcomes: [] as Outcome[],
      put: (n: number): Promise<unknown> => sql`
        insert into plain_values (key, value, updated_at)
        values (${`k${n % KEYS}`}, ${JSON.stringify(`${n} ${VALUE}`.slice(0, VALUE.length))}, now())
        on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`,
    },
  ];
  for (const { put } of contenders) await write(WARM_UP, put);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, outcomes, put } of contenders) {
      const outcome = await write(WRITES, put);
      bench.progress(`round ${round}, ${name}: ${count(outcome.perSecond)} writes/s`);
      outcomes.push(outcome);
    }
  }

  const [own, reference] = contenders.map(({ outcomes }) => outcomes.map(({ perSecond }) => perSecond));
  if (own === undefined || reference === undefined) throw new Error('nothing measured');
  return {
    table: [
      ['', 'writes/s', 'ratio', 'p50', 'p99'],
      ...contenders.map(({ name, outcomes }) => {
        const rates = outcomes.map(({ perSecond }) => perSecond);
        const times = outcomes.flatMap(({ timesMs }) => timesMs);
        const percentiles = [percentile(times, 0.5), percentile(times, 0.99)].map(milliseconds);
        return [name, count(median(rates)), ratio(medianRatio(rates, reference)), ...percentiles];
      }),
    ],
    notes: [
      `Values of ${VALUE.length} bytes over ${KEYS} keys, ${IN_FLIGHT} in flight, medians of ${ROUNDS} alternating rounds of ${WRITES} writes, ratios those of one round; the same PostgreSQL, fsync on.`,
      'Perch: HTTP from this process, one gateway process, NATS, one kv process; for each write the route and the limit in Redis, the owner check, one statement, the value in Redis.',
      `Plain client: upserts from this process over ${IN_FLIGHT} connections, each committed by itself.`,
    ],
    verdicts: [atLeast("writes per second, to the plain client's", medianRatio(own, reference), 0.6, ratio)],
  };
}

async function write(writes: number, put: (n: number) => Promise<unknown>): Promise<Outcome> {
  const timesMs: number[] = [];
  let next = 0;
  const began = performance.now();
  const lane = async (): Promise<void> => {
    while (next < writes) {
      const n = next++;
      const start = performance.now();
      await put(n);
      timesMs.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return { perSecond: writes / ((performance.now() - began) / 1000), timesMs };
}
