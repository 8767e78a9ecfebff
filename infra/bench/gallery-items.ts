import type { Database } from '../../shared/items/sql.ts';

const WORDS = 20_000;
const TAGS = 300;
/** As long as that of a markdown page. */
const CONTENT = JSON.stringify({ format: 'MARKDOWN', keys: 'x'.repeat(300) });

/**
 * Puts public items into a database: titles of four words and up to two tags, some words and tags far more frequent
 * than others, created over four weeks, few of them viewed often, one in ten of each rarer kind.
 */
export async function loadGalleryItems(sql: Database, count: number): Promise<void> {
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
      select 'public', 'item-' || drawn.n,
        (array['html','html','html','html','html','html','file','json','kv','site'])[1 + drawn.n % 10],
        'c' || drawn.n, encode(sha256((drawn.n % 1000)::text::bytea), 'hex'), concat_ws(' ', a.word, b.word, c.word, d.word),
        (array[e.word, f.word])[1:drawn.n % 3], 30, 10000, ${CONTENT}, floor(100000 * power(random(), 8)),
        moment, moment, moment + interval '30 days'
      from drawn
      join words as a on a.n = drawn.a join words as b on b.n = drawn.b
      join words as c on c.n = drawn.c join words as d on d.n = drawn.d
      join words as e on e.n = drawn.e join words as f on f.n = drawn.f,
      lateral (
        select date_trunc('milliseconds', now() - make_interval(secs => 60 + random() * 28 * 86400)) as moment
        where drawn.n > 0
      ) as created`;
  });
  // As autovacuum does by itself after a while.
  await sql`vacuum analyze items`;
}
