import type { Bench, Findings, Row } from './measurement.ts';
import { startNginx } from './nginx.ts';
import { PAGE_BYTES, pageBytes } from './page-bytes.ts';
import { publish, startPerch } from './perch.ts';
import { median, medianRatio } from './statistics.ts';
import { count, milliseconds, ratio } from './table.ts';
import { atLeast, atMost, type Verdict } from './verdicts.ts';
import { type Load, runWrk } from './wrk.ts';

const CONNECTIONS = 64;
const ROUNDS = 5;
const WARM_UP_SECONDS = 3;

/** GET of one 10 KB page from one gateway process, against the same bytes from nginx with one worker. */
export async function hotPage(bench: Bench): Promise<Findings> {
  const bytes = pageBytes(0);
  const nginx = await startNginx(`${bench.dir}/nginx`, { 'page.html': bytes });
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const { namespace, id } = await publish(perch.url, bytes);
  const page = `${perch.url}/${namespace}/${id}`;
  const contenders: Contender[] = [
    { name: 'Perch', url: page, loads: [] },
    { name: 'nginx', url: `${nginx.loggingUrl}/page.html`, loads: [] },
    { name: 'nginx, no log', url: `${nginx.silentUrl}/page.html`, loads: [] },
  ];
  for (const { url } of contenders) await assertServes(url, bytes);

  for (const { name, url } of contenders) {
    bench.progress(`warming up ${name}`);
    await runWrk(url, { connections: CONNECTIONS, seconds: WARM_UP_SECONDS });
  }
  const before = await settledViews(page);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const { name, url, loads } of contenders) {
      const load = await runWrk(url, { connections: CONNECTIONS, seconds: bench.seconds });
      bench.progress(`round ${round}, ${name}: ${count(load.perSecond)} requests/s`);
      loads.push(load);
    }
  }
  const counted = (await settledViews(page)) - before - 1;

  const [own, reference] = contenders;
  if (own === undefined || reference === undefined) throw new Error('nothing measured');
  return {
    table: [HEADING, ...contenders.map((contender) => rowOf(contender, reference))],
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, ${PAGE_BYTES} bytes a page; medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: distributed mode, one gateway process; view counter and read limit in Redis, request log to a file and metrics on. Redis runs on the same machine.',
      'nginx: one worker, sendfile, keep-alive, with and without an access log; the ratios are to the one with a log.',
    ],
    verdicts: [
      atLeast("requests per second, to nginx's", ratioOf(own, reference, perSecond), 0.5, ratio),
      atMost("p99, to nginx's", ratioOf(own, reference, p99), 4, ratio),
      viewsExact(counted, sum(own, requests)),
      atMost('answers of Perch other than 2xx, and socket errors', sum(own, failures), 0, count),
    ],
  };
}

interface Contender {
  name: string;
  url: string;
  /** One a round. */
  loads: Load[];
}

type Figure = (load: Load) => number;

const perSecond: Figure = (load) => load.perSecond;
const p50: Figure = (load) => load.p50Ms;
const p99: Figure = (load) => load.p99Ms;
const requests: Figure = (load) => load.requests;
const failures: Figure = (load) => load.badStatus + load.socketErrors;

const middle = ({ loads }: Contender, figure: Figure): number => median(loads.map(figure));
const sum = ({ loads }: Contender, figure: Figure): number =>
  loads.reduce((total, load) => total + figure(load), 0);
const ratioOf = (own: Contender, reference: Contender, figure: Figure): number =>
  medianRatio(own.loads.map(figure), reference.loads.map(figure));

const HEADING: Row = ['', 'requests/s', 'ratio', 'p50', 'p99', 'p99 ratio', 'requests', 'failed'];

function rowOf(own: Contender, reference: Contender): Row {
  return [
    ...[own.name, count(middle(own, perSecond)), ratio(ratioOf(own, reference, perSecond))],
    ...[milliseconds(middle(own, p50)), milliseconds(middle(own, p99)), ratio(ratioOf(own, reference, p99))],
    ...[count(sum(own, requests)), count(sum(own, failures))],
  ];
}

/** wrk drops what is still on its way when a round ends: each connection may have one more request counted. */
function viewsExact(counted: number, answered: number): Verdict {
  const most = answered + ROUNDS * CONNECTIONS;
  return {
    what: 'X-Views counted every request once',
    found: `${count(counted)} for ${count(answered)} answers`,
    wanted: `up to ${count(most)}, with those on their way at the ends`,
    met: counted >= answered && counted <= most,
  };
}

async function assertServes(url: string, bytes: Uint8Array): Promise<void> {
  const response = await fetch(url, { headers: { 'User-Agent': 'perch-bench/1' } });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status === 200 && Buffer.compare(body, bytes) === 0) return;
  throw new Error(`${url} answered ${response.status} with ${body.length} bytes, not the page`);
}

/** X-Views, its own read included, once the requests that wrk left behind are through. */
async function settledViews(page: string): Promise<number> {
  await Bun.sleep(500);
  const response = await fetch(page, { headers: { 'User-Agent': 'perch-bench/1' } });
  await response.arrayBuffer();
  return Number(response.headers.get('x-views'));
}
