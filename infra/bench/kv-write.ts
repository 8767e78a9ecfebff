import postgres, { type Sql } from 'postgres';
import { startBareChain } from './bare-chain/start.ts';
import {
  atLeast,
  atMost,
  type Bench,
  count,
  type Findings,
  milliseconds,
  ratio,
  type Verdict,
} from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { median, medianRatio, percentile } from './statistics.ts';
import { runWrkPuts } from './wrk.ts';

const ROUNDS = 5;

/** Writes under way at once, on each side: with few of them latency counts, with many the processor time. */
const LOADS = [32, 64];

/**
 * PUTs of 1 KB values that are durable when they are answered, against committed upserts of a plain client; and beside them
 * the least that two processes on the same servers can do for such a PUT.
 */
export async function kvWrite(bench: Bench): Promise<Findings> {
  const running = await startPerch(bench);
  const { url, servers } = running;
  const store = await makeStore(url);
  const chain = await startBareChain(bench, running);
  const sql = await openPlainClient(bench, servers.env.PG_URL ?? '', Math.max(...LOADS));
  const table = [['', 'in flight', 'writes/s', 'ratio', 'p50', 'p99']];
  const verdicts: Verdict[] = [];
  let failed = 0;
  for (const inFlight of LOADS) {
    const putTo = (address: { url: string; path: string; ownerToken: string }) => () =>
      runWrkPuts({ ...address, keys: KEYS }, { connections: inFlight, seconds: bench.seconds });
    const perch: Side = { name: 'Perch', run: putTo({ url, ...store }), outcomes: [] };
    const bare: Side = {
      name: 'bare chain',
      run: putTo({ ...chain, path: '', ownerToken: '-' }),
      outcomes: [],
    };
    const plain: Side = {
      name: 'plain client',
      outcomes: [],
      run: () => upserts(sql, bench.seconds * 1000, inFlight),
    };
    await takeTurns([perch, bare, plain], (line) => bench.progress(`${inFlight} in flight, ${line}`));
    const shareOf = ({ outcomes }: Side): number => medianRatio(outcomes.map(rate), plain.outcomes.map(rate));
    for (const side of [perch, bare, plain]) {
      const middle = (of: (outcome: Outcome) => number): number => median(side.outcomes.map(of));
      table.push([
        ...[side.name, count(inFlight), count(middle(rate)), ratio(shareOf(side))],
        ...[milliseconds(middle(({ p50Ms }) => p50Ms)), milliseconds(middle(({ p99Ms }) => p99Ms))],
      ]);
      for (const { badStatus = 0, socketErrors = 0 } of side.outcomes) failed += badStatus + socketErrors;
    }
    const name = `writes per second with ${inFlight} in flight, to the plain client's`;
    verdicts.push(atLeast(name, shareOf(perch), 0.5, ratio));
  }
  return {
    table,
    notes: [
      `Values of 1 KB over ${KEYS} keys, medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after one untimed, ratios those of one round; the same PostgreSQL, fsync on.`,
      'Perch: HTTP from wrk, one gateway process, NATS, one kv process; for each write the item record and the limit in Redis, the owner check, the value in PostgreSQL and in Redis. Writes that wait at the same moment share a message and a commit.',
      'Bare chain: two processes that do no more than pass a value on over the same hops, gathered and committed by the same code.',
      'Plain client: upserts over as many connections as are in flight, each committed by itself.',
    ],
    verdicts: [...verdicts, atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count)],
  };
}

/** A round of each side that does not count, then all that do, side after side. */
async function takeTurns(sides: readonly Side[], progress: (line: string) => void): Promise<void> {
  for (const { run } of sides) await run();
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { run, outcomes } of sides) outcomes.push(await run());
    const rates = sides.map(({ name, outcomes }) => `${name} ${count(outcomes.at(-1)?.perSecond ?? 0)}`);
    progress(`round ${round}, writes/s: ${rates.join(', ')}`);
  }
}

const rate = ({ perSecond }: Outcome): number => perSecond;

export const KEYS = 500;
export const VALUE = 'A value of one kilobyte. '.repeat(41).slice(0, 1024);

/** One who writes, and the measurements of its rounds. */
interface Side {
  name: string;
  run(): Promise<Outcome>;
  outcomes: Outcome[];
}

interface Outcome {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  badStatus?: number;
  socketErrors?: number;
}

/** A store that has all keys already. */
export async function makeStore(url: string): Promise<{ path: string; ownerToken: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ key: 'k0', value: VALUE });
  const { namespace, id, ownerToken = '' } = await ask(`${url}/api/kv`, { method: 'POST', headers, body });
  const path = `/api/kv/${namespace}/${id}`;
  for (let n = 1; n < KEYS; n++) {
    await ask(`${url}${path}/k${n}`, {
      method: 'PUT',
      headers: { ...headers, 'X-Owner-Token': ownerToken },
      body: JSON.stringify({ value: VALUE }),
    });
  }
  return { path, ownerToken };
}

/** Upserts of single values, so many at once and each committed by itself, for so many ms. */
export async function upserts(
  sql: Sql,
  limitMs: number,
  inFlight: number,
): Promise<Outcome & { writes: number }> {
  const timesMs: number[] = [];
  const began = performance.now();
  let n = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - began < limitMs) {
      const number = n++;
      const start = performance.now();
      await sql`
        insert into plain_values (key, value, updated_at)
        values (${`k${number % KEYS}`}, ${JSON.stringify(`${number} ${VALUE}`.slice(0, VALUE.length))}, now())
        on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`;
      timesMs.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  return {
    writes: timesMs.length,
    perSecond: timesMs.length / ((performance.now() - began) / 1000),
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
  };
}

/** A plain client with a connection for each write under way, and the table it writes to. */
export async function openPlainClient(bench: Bench, url: string, connections: number): Promise<Sql> {
  const sql = postgres(url, { max: connections, onnotice: () => undefined });
  bench.defer(() => sql.end({ timeout: 2 }));
  await sql`create table plain_values (key text primary key, value text not null, updated_at timestamptz not null)`;
  return sql;
}
