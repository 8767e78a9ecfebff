import pino from 'pino';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { listListed } from '../../services/content/gallery/lists.ts';
import { searchListed } from '../../services/content/gallery/search.ts';
import { parseSearch } from '../../services/content/gallery/search-text.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import type { listGallery } from '../../shared/contracts/gallery.ts';
import type { InputOf } from '../../shared/contracts/operation.ts';
import type { Query } from '../../shared/items/sql.ts';
import { foldAll, loadGalleryItems } from './gallery-items.ts';
import { atMost, type Bench, count, type Findings, milliseconds, seconds, timed } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { explain } from './query-plan.ts';
import { median } from './statistics.ts';

const ITEMS = 200_000;
const REPETITIONS = 15;
const LOAD_LIMIT_MS = 600_000;

/** `kara` is the most frequent word of titles and tags. */
const QUESTIONS: Record<string, Record<string, string>> = {
  'page 1 by date': {},
  'page 100 by date': { page: '100' },
  'page 1 by views': { sort: 'views' },
  'page 100 by views': { sort: 'views', page: '100' },
  'the last page': { page: String(ITEMS / 20) },
  'page 100 of files by views': { kind: 'file', sort: 'views', page: '100' },
  'a tag': { tag: 'kara' },
  'a search for two words': { q: 'holi viser' },
  'its last word as a beginning': { q: 'holi vis' },
  'a phrase': { q: '"kara holi"' },
  'a word that is ranked whole': { q: 'sora' },
  'a frequent word, page 8 by views': { q: 'kara', sort: 'views', page: '8' },
  'one letter': { q: 'k' },
  'all without a word': { q: '-kara' },
};

/** The gallery with 200,000 public items: how fast it is listed and searched over HTTP, and by which indexes. */
export async function gallery(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const pgUrl = servers.env.PG_URL ?? '';
  const sql = openDatabase(pgUrl, { log, maxConnections: 1, statementTimeoutMs: LOAD_LIMIT_MS });
  bench.defer(() => sql.end({ timeout: 1 }));
  const began = performance.now();
  await loadGalleryItems(sql, ITEMS);
  // As the services and autovacuum do by themselves after a while.
  await foldAll(sql);
  await sql`vacuum analyze`;
  bench.progress(`loaded in ${seconds(performance.now() - began)}`);

  const table: string[][] = [['', 'median', 'worst', 'found', 'indexes']];
  const plans: string[] = [];
  const medians: number[] = [];
  for (const [what, query] of Object.entries(QUESTIONS)) {
    const address = `${url}/api/gallery?${new URLSearchParams(query)}`;
    const { total, totalIsLowerBound = false } = await ask(address, {});
    const times: number[] = [];
    for (let n = 0; n < REPETITIONS; n++) times.push(await timed(() => ask(address, {})));
    const { lines } = await sql.begin((tx) => explain(tx, (explained) => read(explained, filterOf(query))));
    const indexes = new Set(lines.flatMap((line) => /(?: using | on )(items_\w+)/.exec(line)?.[1] ?? []));
    medians.push(median(times));
    table.push([
      ...[what, milliseconds(median(times)), milliseconds(Math.max(...times))],
      ...[`${count(Number(total))}${totalIsLowerBound ? ' or more' : ''}`, [...indexes].join(' ')],
    ]);
    plans.push(`${what}:\n${lines.map((line) => `    ${line}`).join('\n')}`);
    bench.progress(`${what}: ${milliseconds(median(times))}`);
  }
  return {
    table,
    notes: [
      `${count(ITEMS)} public items; GET /api/gallery, 20 items of a page with their total and views, one at a time, ${REPETITIONS} times each.`,
      ...plans,
    ],
    verdicts: [atMost('lists and searches, the slowest median', Math.max(...medians), 100, milliseconds)],
  };
}

/** The statements of a list, or of a search. */
async function read(sql: Query, { search: text, ...filter }: InputOf<typeof listGallery>): Promise<void> {
  const now = Date.now();
  const search = text === null ? null : parseSearch(text);
  if (search === null) {
    await listListed(sql, filter, now);
    await countListedItems(sql, filter, now);
  } else await searchListed(sql, { ...filter, search }, { now, deadline: Number.POSITIVE_INFINITY });
}

/** The filter that the gateway makes of a query. */
const filterOf = ({
  q,
  kind,
  tag,
  sort,
  page = '1',
}: Record<string, string>): InputOf<typeof listGallery> => ({
  search: q ?? null,
  kind: kind === 'file' ? kind : null,
  tag: tag ?? null,
  sort: sort === 'views' ? sort : 'date',
  offset: (Number(page) - 1) * 20,
  limit: 20,
});
