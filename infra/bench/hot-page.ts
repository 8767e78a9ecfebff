import {
  assertServes,
  type Contender,
  failures,
  HEADING,
  p99,
  perSecond,
  ROUNDS,
  ratioOf,
  requests,
  rowOf,
  runRounds,
  settledViews,
  sum,
  viewsExact,
  warmUp,
} from './load-rounds.ts';
import { atLeast, atMost, type Bench, count, type Findings, ratio } from './measurement.ts';
import { startNginx } from './nginx.ts';
import { PAGE_BYTES, pageBytes } from './pages.ts';
import { publish, startPerch } from './perch.ts';

const CONNECTIONS = 64;

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

  await warmUp(bench, contenders, CONNECTIONS);
  const before = await settledViews(page);
  await runRounds(bench, contenders, CONNECTIONS);
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
      atMost("p99, to nginx's", ratioOf(own, reference, p99), 2.5, ratio),
      // wrk drops what is still on its way when a round ends.
      viewsExact(counted, sum(own, requests), ROUNDS * CONNECTIONS),
      atMost('answers of Perch other than 2xx, and socket errors', sum(own, failures), 0, count),
    ],
  };
}
