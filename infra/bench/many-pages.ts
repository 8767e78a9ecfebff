import { assertServes, type Contender, compareContenders } from './load-rounds.ts';
import { atMost, type Bench, count, type Findings } from './measurement.ts';
import { startNginxOfFiles } from './nginx.ts';
import { PAGE_BYTES, pageBytes } from './pages.ts';
import { publish, startPerch } from './perch.ts';

const PAGES = 500;
const CONNECTIONS = 64;

/** GETs of many 10 KB pages, one after the other, from one gateway process, against the same bytes from nginx. */
export async function manyPages(bench: Bench): Promise<Findings> {
  const bytes = Array.from({ length: PAGES }, (_, number) => pageBytes(number));
  const files = Object.fromEntries(bytes.map((page, number) => [`${number}.html`, page]));
  const nginx = await startNginxOfFiles(`${bench.dir}/nginx`, files);
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const paths: string[] = [];
  for (const page of bytes) {
    const { namespace, id } = await publish(perch.url, page);
    paths.push(`/${namespace}/${id}`);
  }
  const own: Contender = { name: 'Perch', url: perch.url, paths, loads: [] };
  const reference: Contender = {
    name: 'nginx',
    url: nginx.loggingUrl,
    paths: Object.keys(files).map((name) => `/${name}`),
    loads: [],
  };
  for (const { url, paths: its = [] } of [own, reference]) {
    for (const [number, page] of bytes.entries()) await assertServes(`${url}${its[number]}`, page);
  }
  const { table, failed } = await compareContenders(bench, own, reference, CONNECTIONS);
  return {
    table,
    notes: [
      `${PAGES} pages of ${PAGE_BYTES} bytes in turn, ${CONNECTIONS} connections kept alive, wrk with one thread; medians of alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: as in hot-page; the requests that wait together are for as many pages, each of which has a counter of its own.',
      'nginx: one worker, sendfile, keep-alive, an access log.',
    ],
    verdicts: [atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count)],
  };
}
