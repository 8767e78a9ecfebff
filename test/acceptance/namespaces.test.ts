import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const NAMESPACE = /^[a-z0-9-]{3,32}$/;
const NOT_OFFERED = ['public', 'api', 'docs', 'admin', 'gallery', 'stats', 'report', 'reports', 'static'];

const random = async (client = perch.last) => {
  const response = await client.request('/api/namespace/random');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const body = await jsonOf<{ namespace: string }>(response);
  expect(Object.keys(body)).toEqual(['namespace']);
  return body.namespace;
};

const suggest = async (q?: string, client = perch.last): Promise<string[]> => {
  const response = await client.request('/api/namespace/suggest', q === undefined ? {} : { query: { q } });
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  const { suggestions } = await jsonOf<{ suggestions: string[] }>(response);
  expect(suggestions).toHaveLength(5);
  expect(new Set(suggestions).size).toBe(5);
  for (const name of suggestions) {
    expect(name).toMatch(NAMESPACE);
    expect(name).not.toMatch(/^-|-$|--/);
    expect(NOT_OFFERED).not.toContain(name);
  }
  return suggestions;
};

describe('GET /api/namespace/random', () => {
  test('names a namespace in which anybody can create', async () => {
    for (const kind of KINDS) {
      const ns = await random();
      expect(ns).toMatch(/^[a-z]+-[a-z]+-[1-9][0-9]$/);
      expect((await publishKind(perch, kind, 'first', { query: { ns } })).namespace).toBe(ns);
    }
  });

  test('names another each time', async () => {
    const names = await atOnce(20, (n) => random(n % 2 === 0 ? perch : perch.last));
    // Of 170,000 names, two of twenty are the same once in 900 times; four hardly ever.
    expect(new Set(names).size).toBeGreaterThan(17);
  });
});

describe('GET /api/namespace/suggest', () => {
  test.each([
    ['Team Notes', 'team-notes'],
    ['  Café   Ünïcode! ', 'cafe-unicode'],
    ['Straße & Smørrebrød', 'strasse-smorrebrod'],
    ["Ann's blog", 'anns-blog'],
    ['ﬁne Ⅳ', 'fine-iv'],
    ['already-fine-123', 'already-fine-123'],
    // Names that no other file uses.
    ['w'.repeat(31), 'w'.repeat(31)],
    ['w'.repeat(32), 'w'.repeat(32)],
    ['w'.repeat(33), 'w'.repeat(32)],
    [`${'w'.repeat(31)} y`, 'w'.repeat(31)],
    ['wxy', 'wxy'],
    ['a'.repeat(5_000), 'a'.repeat(32)],
  ])('for %p begins with the text itself', async (q, first) => {
    const names = await suggest(q);
    expect(names[0]).toBe(first);
    for (const name of names.slice(1)) expect(name).toStartWith(first.slice(0, 10));
  });

  test.each(['a', 'ab', 'á', 'public', 'PUBLIC', 'api', 'Reports', 'html'])(
    'for %p, which cannot be one, names longer ones',
    async (q) => {
      const slug = q.toLowerCase().replace('á', 'a');
      for (const name of await suggest(q)) expect(name).toStartWith(`${slug}-`);
    },
  );

  test.each([undefined, '', '   ', '!?&', '---', '日本語', '😀', '\0', '%', 'Привет'])(
    'for %p, of which nothing is left, names any',
    async (q) => {
      await suggest(q);
    },
  );

  test('leaves out what is used, by an item of whatever kind, until it is removed', async () => {
    for (const kind of KINDS) {
      const name = fresh(`suggested-${kind.name}`);
      expect((await suggest(name))[0]).toBe(name);
      const item = await publishKind(perch, kind, 'x', {
        query: { ns: name },
        headers: { 'X-Password': 'p' },
      });
      for (const client of perch.clients) expect(await suggest(name, client)).not.toContain(name);
      await perch.request(new URL(item.ownerLink).pathname, { method: 'DELETE', ...ownedBy(item) });
      for (const client of perch.clients) expect((await suggest(name, client))[0]).toBe(name);
    }
  });

  test('is not misled by suggestions that are taken, too', async () => {
    const name = fresh('crowded');
    for (let round = 0; round < 3; round++) {
      const names = await suggest(name);
      await Promise.all(names.map((ns) => perch.publish('<p>taken', { query: { ns } })));
      const next = await suggest(name);
      expect(next.filter((one) => names.includes(one))).toEqual([]);
    }
  });
});

test('both addresses know GET, HEAD and OPTIONS', async () => {
  for (const path of ['/api/namespace/random', '/api/namespace/suggest']) {
    const options = await perch.request(path, { method: 'OPTIONS' });
    expect([options.status, options.headers.get('Allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
    const head = await perch.request(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const method of ['POST', 'PUT', 'DELETE'])
      await expectError(await perch.request(path, { method }), 405, 'METHOD_NOT_ALLOWED');
  }
  await expectError(await perch.request('/api/namespace'), 404, 'NOT_FOUND');
  // The address of an item of any kind, which can only be removed there.
  await expectError(await perch.request('/api/namespace/other'), 405, 'METHOD_NOT_ALLOWED');
});
