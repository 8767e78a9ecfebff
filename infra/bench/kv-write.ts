import { IN_FLIGHT, KEYS, makeStore, type Outcome, openPlainClient, upserts } from './key-writes.ts';
import type { Bench, Findings } from './measurement.ts';
import { startPerch } from './perch.ts';
import { median, medianRatio } from './statistics.ts';
import { count, milliseconds, ratio } from './table.ts';
import { atLeast, atMost } from './verdicts.ts';
import { runWrkPuts } from './wrk.ts';

const ROUNDS = 5;

/** PUTs of 1 KB values that are durable when they are answered, against committed upserts of a plain client. */
export async function kvWrite(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const store = await makeStore(url);
  const sql = await openPlainClient(bench, servers.env.PG_URL ?? '');
  const perch: Outcome[] = [];
  const plain: Outcome[] = [];
  const putThroughPerch = () =>
    runWrkPuts({ url, ...store, keys: KEYS }, { connections: IN_FLIGHT, seconds: bench.seconds });
  const upsertPlainly = () => upserts(sql, bench.seconds * 1000);
  await putThroughPerch();
  await upsertPlainly();
  for (let round = 1; round <= ROUNDS; round++) {
    perch.push(await putThroughPerch());
    plain.push(await upsertPlainly());
    const [own, reference] = [perch.at(-1)?.perSecond ?? 0, plain.at(-1)?.perSecond ?? 0];
    bench.progress(`round ${round}: ${count(own)} to ${count(reference)} writes/s`);
  }
  const failed = perch.reduce(
    (sum, { badStatus = 0, socketErrors = 0 }) => sum + badStatus + socketErrors,
    0,
  );
  const rateOf = (outcomes: Outcome[]): number[] => outcomes.map(({ perSecond }) => perSecond);
  const row = (name: string, outcomes: Outcome[]): string[] => [
    ...[name, count(median(rateOf(outcomes))), ratio(medianRatio(rateOf(outcomes), rateOf(plain)))],
    milliseconds(median(outcomes.map(({ p50Ms }) => p50Ms))),
    milliseconds(median(outcomes.map(({ p99Ms }) => p99Ms))),
  ];
  return {
    table: [['', 'writes/s', 'ratio', 'p50', 'p99'], row('Perch', perch), row('plain client', plain)],
    notes: [
      `Values of 1 KB over ${KEYS} keys, ${IN_FLIGHT} in flight, medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after one untimed, ratios those of one round; the same PostgreSQL, fsync on.`,
      'Perch: HTTP from wrk, one gateway process, NATS, one kv process; for each write the route and the limit in Redis, the owner check, the value in PostgreSQL and in Redis. Writes that wait at the same moment share a message and a commit.',
      `Plain client: upserts over ${IN_FLIGHT} connections, each committed by itself.`,
    ],
    verdicts: [
      atLeast(
        "writes per second, to the plain client's",
        medianRatio(rateOf(perch), rateOf(plain)),
        0.5,
        ratio,
      ),
      atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count),
    ],
  };
}
