import { hasDeltas } from '../../services/analytics/repository/totals.ts';
import { foldTotals } from '../../services/analytics/sweep/totals-passes.ts';
import { systemClock } from '../../shared/clock.ts';
import type { Database } from '../../shared/items/sql.ts';

const WORDS = 20_000;
const TAGS = 300;
/** As long as that of a markdown page. */
const CONTENT = JSON.stringify({ format: 'MARKDOWN', keys: 'x'.repeat(300) });

interface Loaded {
  /** Their ids are this and a number from 1 on. */
  prefix?: string;
  /** How many owners share them: the token of each is its number, from 0. */
  owners?: number;
  /** By how many days they are older than new ones; all have expired from 31 on. */
  daysAgo?: number;
}

/**
 * Puts public items into a database: titles of four words and up to two tags, some words and tags far more frequent
 * than others, created over four weeks, few of them viewed often, one in ten of each rarer kind. They have no blobs.
 */
export async function loadGalleryItems(
  sql: Database,
  count: number,
  { prefix = 'item', owners = 1_000, daysAgo = 0 }: Loaded = {},
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`
      create temporary table words on commit drop as
      select n, (array['ka','lo','mi','ru','te','so','na','vi','pe','da','gu','ho','ze','ti','ba','fo'])[1 + n % 16]
        || (array['ra','ne','li','to','ma','ser','vun','dik','pol','gan','tes','mor','lin','ber','kas','wo'])[1 + n / 16 % 16]
        || (array['','n','tion','ing','er','s','le','a'])[1 + n / 256 % 8]
        || (array['','ly','ment','or','ist','um','ix','q','on','us'])[1 + n / 2048] as word
      from generate_series(0, ${WORDS - 1}::int) as n`;
    await tx`
      create temporary table drawn on commit drop as
      select n, floor(${WORDS}::int * power(random(), 3))::int as a, floor(${WORDS}::int * power(random(), 3))::int as b,
        floor(${WORDS}::int * power(random(), 3))::int as c, floor(${WORDS}::int * power(random(), 3))::int as d,
        floor(${TAGS}::int * power(random(), 2))::int as e, floor(${TAGS}::int * power(random(), 2))::int as f
      from generate_series(1, ${count}::int) as n`;
    await tx`analyze words, drawn`;
    await tx`
      insert into items (namespace, id, kind, code, owner_hash, title, tags, ttl_days, size_bytes, content, views,
                         created_at, updated_at, expires_at)
      select 'public', ${prefix}::text || '-' || drawn.n,
        (array['html','html','html','html','html','html','file','json','kv','site'])[1 + drawn.n % 10],
        ${prefix}::text || '-code-' || drawn.n, encode(sha256((drawn.n % ${owners}::int)::text::bytea), 'hex'), concat_ws(' ', a.word, b.word, c.word, d.word),
        (array[e.word, f.word])[1:drawn.n % 3], 30, 10000, ${CONTENT}::text::jsonb, floor(100000 * power(random(), 8)),
        moment, moment, moment + interval '30 days'
      from drawn
      join words as a on a.n = drawn.a join words as b on b.n = drawn.b
      join words as c on c.n = drawn.c join words as d on d.n = drawn.d
      join words as e on e.n = drawn.e join words as f on f.n = drawn.f,
      lateral (
        select date_trunc('milliseconds', now() - make_interval(days => ${daysAgo}::int, secs => 60 + random() * 28 * 86400)) as moment
        where drawn.n > 0
      ) as created`;
  });
}

/** Adds what the items have put into the totals, together with the service that does so every few seconds. */
export async function foldAll(sql: Database): Promise<void> {
  while (await hasDeltas(sql)) await foldTotals({ sql, clock: systemClock });
}
