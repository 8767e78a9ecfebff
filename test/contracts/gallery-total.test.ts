import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { foldTotals } from '../../services/analytics/sweep/totals-passes.ts';
import { countListedItems } from '../../services/content/gallery/listed-count.ts';
import { KINDS, type Kind } from '../../shared/items/item.ts';
import type { Query } from '../../shared/items/sql.ts';
import { DAY_MS, useGalleryDatabase } from './gallery-database.ts';

const gallery = useGalleryDatabase();
const TAGS = ['red', 'green'];
const FILTERS = [null, ...KINDS].flatMap((kind) => [null, ...TAGS].map((tag) => ({ kind, tag })));

/** Counted as anybody would, by each filter. */
const counted = async (sql: Query, now: number): Promise<number[]> => {
  const rows = await sql<Array<{ kind: Kind; tags: string[] }>>`
    select kind, tags from items
    where namespace = 'public' and password_hash is null and not hidden and expires_at > ${now}`;
  return FILTERS.map(
    ({ kind, tag }) =>
      rows.filter((row) => (kind ?? row.kind) === row.kind && (tag === null || row.tags.includes(tag)))
        .length,
  );
};

const kept = async (sql: Query, now: number): Promise<number[]> => {
  const totals: number[] = [];
  for (const filter of FILTERS) totals.push(await countListedItems(sql, filter, now));
  return totals;
};

const fold = () => foldTotals({ sql: gallery.sql, clock: { now: () => gallery.now } });

interface Change {
  what: 'put' | 'remove' | 'hide' | 'show' | 'tag' | 'fold' | 'time passes';
  id: string;
  kind: Kind;
  tags: string[];
  namespace: string;
  passwordHash: string | null;
  days: number;
}

const changes = fc.array(
  fc.record({
    what: fc.constantFrom<Change['what']>(
      'put',
      'put',
      'put',
      'remove',
      'hide',
      'show',
      'tag',
      'fold',
      'time passes',
    ),
    id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
    kind: fc.constantFrom(...KINDS),
    tags: fc.array(fc.constantFrom(...TAGS), { maxLength: 3 }),
    namespace: fc.constantFrom('public', 'public', 'team'),
    passwordHash: fc.constantFrom(null, null, 'hash'),
    days: fc.constantFrom(1, 2),
  }),
  { minLength: 10, maxLength: 40 },
);

test('the total is what counting finds, whatever was made, removed, hidden, expired and folded', async () => {
  const { sql } = gallery;
  await fc.assert(
    fc.asyncProperty(changes, async (steps) => {
      let { now } = gallery;
      const puts: AsyncDisposable[] = [];
      for (const { what, id, kind, tags, namespace, passwordHash, days } of steps) {
        const [there] = await sql`select from items where id = ${id}`;
        if (what === 'put' && there === undefined) {
          const expiresAt = now + days * DAY_MS;
          puts.push(await gallery.put({ id, kind, tags, namespace, passwordHash, expiresAt }));
        }
        if (what === 'remove') await sql`delete from items where id = ${id}`;
        if (what === 'hide' || what === 'show')
          await sql`update items set hidden = ${what === 'hide'} where id = ${id}`;
        if (what === 'tag') await sql`update items set tags = ${tags} where id = ${id}`;
        if (what === 'fold') await fold();
        if (what === 'time passes') now += DAY_MS;
      }
      expect(await kept(sql, now)).toEqual(await counted(sql, now));
      for (const put of puts) await put[Symbol.asyncDispose]();
      expect(await kept(sql, now)).toEqual(FILTERS.map(() => 0));
      // No word of what is gone stays behind.
      await fold();
      expect(await sql`select tag from tag_deltas union all select tag from tag_totals`).toHaveLength(0);
    }),
    { numRuns: 25 },
  );
}, 60_000);

test('it is exact at every moment of others creating, removing, hiding, tagging and folding', async () => {
  const { sql, now } = gallery;
  let writing = true;
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; n < 60; n++) {
      const id = `w${writer}-${n}`;
      await gallery.put({ id, kind: KINDS[n % KINDS.length] ?? 'html', tags: TAGS.slice(n % 3) });
      if (n % 3 === 0) await sql`delete from items where id = ${`w${writer}-${n - 1}`}`;
      if (n % 5 === 0) await sql`update items set hidden = true where id = ${id}`;
      if (n % 7 === 0) await sql`update items set tags = ${TAGS} where id = ${id}`;
    }
  };
  const writes = Promise.all([write(1), write(2)]).finally(() => {
    writing = false;
  });
  const folds = (async () => {
    while (writing) await fold();
  })();
  let looks = 0;
  for (; writing; looks++) {
    const seen = await sql.begin('isolation level repeatable read read only', async (tx) => [
      await kept(tx, now),
      await counted(tx, now),
    ]);
    expect(seen[0]).toEqual(seen[1]);
  }
  await Promise.all([writes, folds]);
  expect(looks).toBeGreaterThan(3);
  expect((await kept(sql, now))[0]).toBeGreaterThan(0);
  await sql`delete from items`;
  expect((await kept(sql, now))[0]).toBe(0);
}, 60_000);
