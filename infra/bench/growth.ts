import { join } from 'node:path';
import { expireItems } from '../../services/content/sweep/expire-items.ts';
import { systemClock } from '../../shared/clock.ts';
import { loadConfig } from '../../shared/config.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { send } from '../load/send.ts';
import { loadGalleryItems } from './gallery-items.ts';
import { QUESTIONS, type Question } from './growth/questions.ts';
import { prepareStage, type Stage } from './growth/stage.ts';
import { atMost, type Bench, count, type Findings, milliseconds, ratio, timed } from './measurement.ts';
import { median, medianRatio, percentile } from './statistics.ts';

/** The first is not timed: it opens connections, and compiles code and statements. */
const ROUNDS = 6;
const STARTS = 3;
const MANY_EXPIRED = { items: 10_000, runs: 2 };
const FEW_EXPIRED = { items: 1_000, runs: 5 };

/** Times of one thing by stage and round, in ms. */
interface Row {
  what: string;
  group: Question['group'];
  times: number[][][];
  /** Requests to the largest stage that were answered 503: they took longer than a statement may. */
  late: number;
}

/** How what users and operators do slows down with the number of items and of entries in the access log. */
export async function growth(bench: Bench): Promise<Findings> {
  const { items: sizes, logRows } = bench.sizes;
  const largest = Math.max(...sizes);
  const stages: Stage[] = [];
  for (const items of sizes) {
    stages.push(await prepareStage(bench, items, Math.round((logRows * items) / largest)));
  }
  const rows: Row[] = QUESTIONS.map(({ what, group }) => ({
    what,
    group,
    times: stages.map(() => []),
    late: 0,
  }));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, question] of QUESTIONS.entries()) {
      const { times, late } = await askInTurns(stages, question, round);
      const row = rows[index];
      if (row === undefined || round === 0) continue;
      for (const [place, own] of times.entries()) row.times[place]?.push(own);
      row.late += late;
    }
    bench.progress(round === 0 ? 'warmed up' : `round ${round} of ${ROUNDS - 1}`);
  }
  const single = async (what: string, runs: number, run: (stage: Stage) => Promise<number>): Promise<Row> => {
    const times: number[][][] = stages.map(() => []);
    for (let n = 0; n < runs; n++) {
      for (const [place, stage] of stages.entries()) times[place]?.push([await run(stage)]);
    }
    bench.progress(what);
    return { what, group: null, times, late: 0 };
  };
  const swept = ({ items, runs }: typeof FEW_EXPIRED): Promise<Row> =>
    single(`sweep of ${count(items)} expired`, runs, (stage) => sweep(stage, items));
  const few = await swept(FEW_EXPIRED);
  const many = await swept(MANY_EXPIRED);
  rows.push(few, many, await single('start', STARTS, start), await single('backup', 1, backUp));

  const ofLargest = (row: Row): number[] => row.times.at(-1)?.flat() ?? [];
  const ratioOf = (what: string): number => growthOf(rows.find((row) => row.what === what)?.times ?? []);
  const slowest = (group: Question['group'], figure: (times: number[]) => number): number =>
    Math.max(...rows.filter((row) => row.group === group).map((row) => figure(ofLargest(row))));
  const p95 = (times: number[]): number => percentile(times, 0.95);
  return {
    table: [
      ['', ...sizes.map(count), 'ratio', 'p95', '503'],
      ...rows.map((row) => [
        row.what,
        ...row.times.map((times) => milliseconds(median(times.flat()))),
        ratio(growthOf(row.times)),
        milliseconds(p95(ofLargest(row))),
        row.late === 0 ? '' : count(row.late),
      ]),
    ],
    notes: [
      `Medians with ${sizes.map(count).join(', ')} items and ${stages.map((stage) => count(stage.logRows)).join(', ')} entries in the access log; the ratio is that of the largest to the smallest, the median of those within a round; p95 is of the largest, and so is the number of answers 503, which are in the times.`,
      'One gateway and one process of each service for each of them, all running; requests over HTTP, one at a time, in turns. Lists of the gallery have their total.',
      'Loaded items have no blobs: a backup copies those of the created pages alone. A sweep removes rows and leaves tombstones.',
    ],
    verdicts: [
      ...['create a page', 'create a store', 'resolve, not cached', 'resolve, cached'].map((what) =>
        atMost(`${what}, largest to smallest`, ratioOf(what), 1.2, ratio),
      ),
      atMost('gallery, the slowest p95 with the most items', slowest('gallery', p95), 100, milliseconds),
      atMost(
        'lists and statistics of the access log, the slowest median',
        slowest('access log', median),
        300,
        milliseconds,
      ),
      atMost(
        'a swept item of many with the most items, to one of few',
        median(ofLargest(many)) / MANY_EXPIRED.items / (median(ofLargest(few)) / FEW_EXPIRED.items),
        1.2,
        ratio,
      ),
    ],
  };
}

/** The largest to the smallest. */
function growthOf(times: readonly number[][][]): number {
  const medians = (rounds: number[][] = []): number[] => rounds.map(median);
  return medianRatio(medians(times.at(-1)), medians(times[0]));
}

/** The times of a round by stage, and how many answers of the largest came too late. Load that comes and goes meets all alike. */
async function askInTurns(
  stages: readonly Stage[],
  { what, times, request }: Question,
  round: number,
): Promise<{ times: number[][]; late: number }> {
  const taken: number[][] = stages.map(() => []);
  let late = 0;
  for (let n = 0; n < times; n++) {
    for (const [place, stage] of stages.entries()) {
      const { path, init } = request(stage, round * times + n);
      const began = performance.now();
      const seen = await send(`${stage.url}${path}`, init);
      taken[place]?.push(performance.now() - began);
      if (seen.answered && seen.status === 503) late += stage === stages.at(-1) ? 1 : 0;
      else if (!seen.answered || seen.status > 299) throw new Error(`${what}: ${JSON.stringify(seen)}`);
    }
  }
  return { times: taken, late };
}

/** By then the blobs of what was swept are due, in ms. */
const BLOB_GRACE_MS = 900_000;
/** Items are expired from 31 days on. */
const LONG_AGO_DAYS = 40;

/** How long the sweep takes for items that have expired, in ms: all that a process of `content` does for them. */
async function sweep({ sql }: Stage, expired: number): Promise<number> {
  await loadGalleryItems(sql, expired, { prefix: `expired-${expired}`, daysAgo: LONG_AGO_DAYS });
  const deps = { sql, clock: systemClock, blobGraceMs: BLOB_GRACE_MS };
  let done = 0;
  const ms = await timed(async () => {
    for (let more = true; more; ) {
      const batch = await expireItems(deps);
      done += batch.done;
      more = batch.more;
    }
  });
  if (done !== expired) throw new Error(`${done} of ${expired} expired items were swept`);
  return ms;
}

/** How long a backup into an empty folder takes, in ms, the access log included. */
async function backUp({ dir, servers }: Stage): Promise<number> {
  await using opened = new AsyncDisposableStack();
  const config = loadConfig({ ...servers.env, DATA_DIR: dir });
  const output = { isTTY: false, write: () => undefined };
  return await timed(() => makeBackup(config, { to: join(dir, 'backup'), withLog: true }, output, opened));
}

/** How long it takes from the start of all processes until all are ready, in ms. */
async function start({ services }: Stage): Promise<number> {
  const processes = Object.values(services.processes).flat();
  await Promise.all(processes.map((process) => process.stop()));
  return await timed(() => Promise.all(processes.map((process) => process.start())));
}
