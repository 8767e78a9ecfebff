import { describe, expect, test } from 'bun:test';
import { raw } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const html = (query: Record<string, string | string[]>) => raw(`<p>${fresh('page')}`, 'text/html', { query });
const json = (fields: Record<string, unknown>) => ({ json: { content: '<p>x', ...fields } });

describe('namespace', () => {
  for (const ns of ['abc', '---', '000', 'a-1', 'x'.repeat(32)]) {
    test(`${ns} is one`, async () => {
      expect((await perch.publish(html({ ns }))).namespace).toBe(ns);
      expect((await perch.publish(json({ namespace: ns }))).namespace).toBe(ns);
    });
  }
  for (const ns of ['ab', 'x'.repeat(33), 'Abc', 'a_b', 'a.b', 'a b', 'abç', '../x', 'abc\n', 'a/b']) {
    test(`${JSON.stringify(ns)} is none`, async () => {
      await expectError(await perch.post(html({ ns })), 400, 'NAMESPACE_INVALID', 'ns');
      await expectError(await perch.post(json({ ns })), 400, 'NAMESPACE_INVALID', 'ns');
    });
  }
  const reserved = [
    ...['api', 'docs', 'assets', 'gallery', 'stats', 'admin', 'mcp', 'health', 'metrics', 'sitemap'],
    ...['robots', 'swagger', 'static', 'preview', 'report', 'reports', 'mine', 'manage', 'edit'],
  ];
  test.each(reserved)('%s is reserved', async (ns) => {
    await expectError(await perch.post(html({ ns })), 400, 'NAMESPACE_RESERVED', 'ns');
    await expectError(await perch.post(json({ namespace: ns })), 400, 'NAMESPACE_RESERVED', 'ns');
  });

  test('public is open to all', async () => {
    expect((await perch.publish(html({ ns: 'public' }))).namespace).toBe('public');
  });
});

describe('id', () => {
  for (const id of ['a', '7', 'A.b_c-d', 'a..b', 'api', 'x'.repeat(64)]) {
    test(`${id} is one`, async () => {
      const page = await perch.publish(html({ ns: 'own-ids', id }));
      expect(page.id).toBe(id);
      expect((await perch.last.read(page)).status).toBe(200);
    });
  }
  for (const id of ['.a', '_a', '-a', '..', 'x'.repeat(65), 'a b', 'a/b', 'ä', 'a%', 'a\u0000', 'a\n']) {
    test(`${JSON.stringify(id)} is none`, async () => {
      await expectError(await perch.post(html({ id })), 400, 'ID_INVALID', 'id');
      await expectError(await perch.post(json({ id })), 400, 'ID_INVALID', 'id');
    });
  }

  test('is case-sensitive, and its own in each namespace', async () => {
    const [upper, lower, elsewhere] = [
      await perch.publish('<p>upper', { query: { ns: 'cases', id: 'Page' } }),
      await perch.publish('<p>lower', { query: { ns: 'cases', id: 'page' } }),
      await perch.publish('<p>elsewhere', { query: { ns: 'other-cases', id: 'page' } }),
    ];
    for (const [page, content] of [
      [upper, 'upper'],
      [lower, 'lower'],
      [elsewhere, 'elsewhere'],
    ] as const)
      expect(await (await perch.read(page)).text()).toEndWith(`<p>${content}`);
  });
});

describe('ttl', () => {
  const good: Array<[text: string, days: number]> = [
    ['1', 1],
    ['30', 30],
    ['1d', 1],
    ['30d', 30],
    ['30D', 30],
    ['1 day', 1],
    ['30 days', 30],
    ['7 DAYS', 7],
    ['7days', 7],
    [' 7  d ', 7],
  ];
  for (const [ttl, days] of good) {
    test(`${JSON.stringify(ttl)} is ${days} days`, async () => {
      const page = await perch.publish(html({ ttl }));
      expect(page.ttlDays).toBe(days);
      expect(Date.parse(page.expiresAt) - Date.parse(page.createdAt)).toBe(days * 86_400_000);
      expect((await perch.publish(json({ ttl }))).ttlDays).toBe(days);
    });
  }
  for (const ttl of [
    '0',
    '31',
    '-1',
    '1.5',
    '7w',
    '7 weeks',
    'd',
    'forever',
    '0x7',
    '1e1',
    '31 days',
    '0d',
    '999999',
  ]) {
    test(`${JSON.stringify(ttl)} is refused`, async () => {
      await expectError(await perch.post(html({ ttl })), 400, 'TTL_INVALID', 'ttl');
      await expectError(await perch.post(json({ ttlDays: ttl })), 400, 'TTL_INVALID', 'ttl');
    });
  }
  test('in JSON may be a number', async () => {
    for (const ttl of [1, 30]) expect((await perch.publish(json({ ttl }))).ttlDays).toBe(ttl);
    for (const ttl of [0, 31, 1.5, -1, true, [7], {}])
      await expectError(await perch.post(json({ ttl })), 400, 'TTL_INVALID', 'ttl');
  });
});

describe('tags', () => {
  const names = (count: number): string[] => Array.from({ length: count }, (_, n) => `tag${n}`);

  test('are trimmed, lower-cased and de-duplicated', async () => {
    expect((await perch.publish(html({ tags: ' One,two , ONE,Drei Vier,é' }))).tags).toEqual([
      ...['one', 'two', 'drei vier', 'é'],
    ]);
  });
  test('may be repeated in the query', async () => {
    expect((await perch.publish(html({ tags: ['a,b', 'c', 'A'] }))).tags).toEqual(['a', 'b', 'c']);
  });
  test('are at most 20', async () => {
    expect((await perch.publish(html({ tags: names(20).join() }))).tags).toHaveLength(20);
    expect((await perch.publish(json({ tags: names(20) }))).tags).toHaveLength(20);
    await expectError(await perch.post(html({ tags: names(21).join() })), 400, 'VALIDATION_FAILED', 'tags');
    await expectError(await perch.post(json({ tags: names(21) })), 400, 'VALIDATION_FAILED', 'tags');
  });
  test('have at most 50 characters', async () => {
    for (const tag of ['x', 'x'.repeat(50), '😀'.repeat(50)])
      expect((await perch.publish(json({ tags: [tag] }))).tags).toEqual([tag]);
    for (const tag of ['x'.repeat(51), 'ü'.repeat(51)]) {
      await expectError(await perch.post(html({ tags: tag })), 400, 'VALIDATION_FAILED', 'tags');
      await expectError(await perch.post(json({ tags: [tag] })), 400, 'VALIDATION_FAILED', 'tags');
    }
  });
  test('have no control characters', async () => {
    for (const tag of ['a\u0000b', 'a\nb', 'a\tb', 'a\u007fb', 'a\u0085b']) {
      await expectError(await perch.post(html({ tags: tag })), 400, 'VALIDATION_FAILED', 'tags');
      await expectError(await perch.post(json({ tags: ['fine', tag] })), 400, 'VALIDATION_FAILED', 'tags');
    }
    await expectError(await perch.post(json({ tags: ['half \ud83d'] })), 400, 'VALIDATION_FAILED', 'tags');
  });
  test('are text', async () => {
    for (const tags of [7, [7], [['a']], { a: 1 }])
      await expectError(await perch.post(json({ tags })), 400, 'VALIDATION_FAILED', 'tags');
  });
});

describe('title and filename', () => {
  for (const field of ['title', 'filename'] as const) {
    test(`a ${field} has at most 200 characters`, async () => {
      for (const text of ['x', 'x'.repeat(200), '😀'.repeat(200)]) {
        expect((await perch.publish(html({ [field]: text })))[field]).toBe(text);
        expect((await perch.publish(json({ [field]: text })))[field]).toBe(text);
      }
      for (const text of ['x'.repeat(201), '😀'.repeat(201)]) {
        await expectError(await perch.post(html({ [field]: text })), 400, 'VALIDATION_FAILED', field);
        await expectError(await perch.post(json({ [field]: text })), 400, 'VALIDATION_FAILED', field);
      }
    });
  }
  test('a filename is a bare name', async () => {
    for (const filename of ['a/b', '/a', 'a\\b', '..\\a', 'a\u0000b', 'a\nb', 'a\u007fb'])
      await expectError(await perch.post(json({ filename })), 400, 'VALIDATION_FAILED', 'filename');
    for (const filename of ['a b.html', 'naïve "quoted".md', 'данные.txt'])
      expect((await perch.publish(json({ filename }))).filename).toBe(filename);
  });
});

test('several faults at once are all named', async () => {
  const query = { ns: 'X', id: '!', ttl: '99' };
  const error = await expectError(await perch.post(html(query)), 400, 'VALIDATION_FAILED');
  expect(error.details?.map(({ field }) => field).sort()).toEqual(['id', 'ns', 'ttl']);
});
