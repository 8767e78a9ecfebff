import { type Bench, count, milliseconds, type Row, ratio, type Verdict } from './measurement.ts';
import { median, medianRatio } from './statistics.ts';
import { type Load, runWrk, runWrkPaths } from './wrk.ts';

/** One side of a comparison under load. */
export interface Contender {
  name: string;
  url: string;
  /** Paths below `url` that are asked for in turn; left out: `url` alone. */
  paths?: string[];
  /** The coding that it is asked for; left out: the plain form. */
  coding?: string;
  /** One a round. */
  loads: Load[];
}

/** One number of a round. */
export type Figure = (load: Load) => number;

export const perSecond: Figure = (load) => load.perSecond;
const p50: Figure = (load) => load.p50Ms;
export const p99: Figure = (load) => load.p99Ms;
export const requests: Figure = (load) => load.requests;
export const failures: Figure = (load) => load.badStatus + load.socketErrors;

export const ROUNDS = 5;
const WARM_UP_SECONDS = 3;

const load = async (
  { url, paths, coding }: Contender,
  connections: number,
  seconds: number,
): Promise<Load> =>
  paths === undefined
    ? await runWrk(url, { connections, coding, seconds })
    : await runWrkPaths(url, paths, { connections, coding, seconds });

export async function warmUp(
  bench: Bench,
  contenders: readonly Contender[],
  connections: number,
): Promise<void> {
  for (const contender of contenders) {
    bench.progress(`warming up ${contender.name}`);
    await load(contender, connections, WARM_UP_SECONDS);
  }
}

/** Alternates between the contenders, so that load from elsewhere meets all of them. */
export async function runRounds(
  bench: Bench,
  contenders: readonly Contender[],
  connections: number,
): Promise<void> {
  for (let round = 1; round <= ROUNDS; round++) {
    for (const contender of contenders) {
      const result = await load(contender, connections, bench.seconds);
      bench.progress(`round ${round}, ${contender.name}: ${count(result.perSecond)} requests/s`);
      contender.loads.push(result);
    }
  }
}

const middle = ({ loads }: Contender, figure: Figure): number => median(loads.map(figure));
export const sum = ({ loads }: Contender, figure: Figure): number =>
  loads.reduce((total, load) => total + figure(load), 0);
export const ratioOf = (own: Contender, reference: Contender, figure: Figure): number =>
  medianRatio(own.loads.map(figure), reference.loads.map(figure));

export const HEADING: Row = ['', 'requests/s', 'ratio', 'p50', 'p99', 'p99 ratio', 'requests', 'failed'];

export function rowOf(own: Contender, reference: Contender): Row {
  return [
    ...[own.name, count(middle(own, perSecond)), ratio(ratioOf(own, reference, perSecond))],
    ...[milliseconds(middle(own, p50)), milliseconds(middle(own, p99)), ratio(ratioOf(own, reference, p99))],
    ...[count(sum(own, requests)), count(sum(own, failures))],
  ];
}

/** Two addresses with the same bytes: Perch, its reference, and the number of connections. */
export interface Comparison {
  own: { name: string; url: string };
  reference: { name: string; url: string };
  bytes: Uint8Array;
  connections: number;
}

/** Measures two sides that serve the same; `perSecond` is what one has to the other in requests a second. */
export async function compareLoads(bench: Bench, { own, reference, bytes, connections }: Comparison) {
  const first: Contender = { ...own, loads: [] };
  const second: Contender = { ...reference, loads: [] };
  for (const { url } of [first, second]) await assertServes(url, bytes);
  return await compareContenders(bench, first, second, connections);
}

/** Measures two sides; ratios are those of the first to the second. */
export async function compareContenders(
  bench: Bench,
  first: Contender,
  second: Contender,
  connections: number,
) {
  await warmUp(bench, [first, second], connections);
  await runRounds(bench, [first, second], connections);
  return {
    table: [HEADING, rowOf(first, second), rowOf(second, second)],
    perSecond: ratioOf(first, second, perSecond),
    failed: sum(first, failures),
  };
}

/** @throws when an address does not serve these bytes: then there is nothing to compare */
export async function assertServes(url: string, bytes: Uint8Array): Promise<void> {
  const response = await fetch(url, { headers: { 'User-Agent': 'perch-bench/1' } });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status === 200 && Buffer.compare(body, bytes) === 0) return;
  throw new Error(`${url} answered ${response.status} with ${body.length} bytes, not what it should serve`);
}

/** Whether X-Views has grown by all answers. @param mostUnanswered requests that wrk had on their way as its rounds ended */
export function viewsExact(counted: number, answered: number, mostUnanswered: number): Verdict {
  const most = answered + mostUnanswered;
  return {
    what: 'X-Views counted every request once',
    found: `${count(counted)} for ${count(answered)} answers`,
    wanted: `up to ${count(most)}, with those on their way at the ends`,
    met: counted >= answered && counted <= most,
  };
}

/** X-Views, its own read included, once the requests that wrk left behind are through. */
export async function settledViews(page: string): Promise<number> {
  await Bun.sleep(500);
  const response = await fetch(page, { headers: { 'User-Agent': 'perch-bench/1' } });
  await response.arrayBuffer();
  return Number(response.headers.get('x-views'));
}
