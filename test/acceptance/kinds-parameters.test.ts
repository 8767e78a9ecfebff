import { describe, expect, test } from 'bun:test';
import type { RequestOptions } from './support/client.ts';
import { fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { createOf, KINDS, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const DAY_MS = 86_400_000;

describe.each(KINDS)('parameters of a create of kind $name', (kind) => {
  /** A way to send parameters, as options and fields of the body. */
  type Way = (
    parameters: Record<string, string>,
  ) => [options: RequestOptions, fields?: Record<string, string>];
  const ways: Array<[name: string, way: Way]> = [
    ['query', (parameters) => [{ query: parameters }]],
    ...(kind.takesFields ? [['body', (parameters) => [{}, parameters]] satisfies [string, Way]] : []),
  ];

  for (const [where, way] of ways) {
    test(`all of them in the ${where}`, async () => {
      for (const [ns, ttl] of [
        ['ns', 'ttl'],
        ['namespace', 'ttlDays'],
      ] as const) {
        const id = fresh(`${kind.name}-${where}`);
        const parameters = { [ns]: 'parameters', id, tags: ' One, two ,ONE', [ttl]: '7', title: 'My title' };
        const item = await publishKind(perch, kind, 'x', ...way({ ...parameters, password: 'opened' }));
        expect(item).toMatchObject({
          namespace: 'parameters',
          id,
          tags: ['one', 'two'],
          ttlDays: 7,
          title: 'My title',
          hasPassword: true,
        });
        expect(Date.parse(item.expiresAt) - Date.parse(item.createdAt)).toBe(7 * DAY_MS);
        await expectError(await readContent(perch, kind, item), 403, 'PASSWORD_REQUIRED');
        const opened = await readContent(perch.last, kind, item, { query: { p: 'opened' } });
        expect(await opened.text()).toEndWith(kind.bytesOf('x'));
      }
    });

    const publish = (parameters: Record<string, string>) => publishKind(perch, kind, 'x', ...way(parameters));
    /** All of these values of a parameter are refused, each with the same error. */
    const expectRefused = async (field: string, values: string[], code: string): Promise<void> => {
      await Promise.all(
        values.map(async (value) =>
          expectError(await createOf(perch, kind, 'x', ...way({ [field]: value })), 400, code, field),
        ),
      );
    };

    test(`a time to live in the ${where} has 1 to 30 days`, async () => {
      const good = { '1': 1, '30': 30, '1d': 1, '30D': 30, '1 day': 1, '30 days': 30, ' 7  DAYS ': 7 };
      const items = await Promise.all(Object.keys(good).map((ttl) => publish({ ttl })));
      expect(items.map(({ ttlDays }) => ttlDays)).toEqual(Object.values(good));
      const bad = ['0', '31', '-1', '1.5', '7w', 'd', '0d', '31 days', '1e1', 'forever'];
      await expectRefused('ttl', bad, 'TTL_INVALID');
    });

    test(`a namespace in the ${where} has 3 to 32 characters of its set and is not reserved`, async () => {
      const good = ['abc', 'x'.repeat(32), 'a-1'];
      const items = await Promise.all(good.map((ns) => publish({ ns })));
      expect(items.map(({ namespace }) => namespace)).toEqual(good);
      await expectRefused('ns', ['ab', 'x'.repeat(33), 'Abc', 'a_b', 'a/b', '../x'], 'NAMESPACE_INVALID');
      await expectRefused('ns', ['api', 'assets', 'reports'], 'NAMESPACE_RESERVED');
    });

    test(`an id in the ${where} has 1 to 64 characters of its set`, async () => {
      const ns = fresh('ids');
      for (const id of ['a', 'A.b_c-d', 'x'.repeat(64)]) {
        const item = await publish({ ns, id });
        expect(item.id).toBe(id);
        expect(await (await readContent(perch.last, kind, item)).text()).toEndWith(kind.bytesOf('x'));
      }
      await expectRefused('id', ['.a', '-a', 'x'.repeat(65), 'a b', 'a/b', 'ä', '..'], 'ID_INVALID');
    });

    test(`at most 20 tags of 50 characters in the ${where}`, async () => {
      const tags = Array.from({ length: 20 }, (_, n) => `tag${n}`);
      expect((await publish({ tags: tags.join() })).tags).toEqual(tags);
      expect((await publish({ tags: 'x'.repeat(50) })).tags).toHaveLength(1);
      await expectRefused('tags', [[...tags, 'one-more'].join(), 'x'.repeat(51)], 'VALIDATION_FAILED');
    });

    test(`a title of at most 200 and a password of at most 200 characters in the ${where}`, async () => {
      for (const title of ['x'.repeat(200), '🐦'.repeat(200)])
        expect((await publish({ title, password: title })).title).toBe(title);
      for (const field of ['title', 'password'])
        await expectRefused(field, ['x'.repeat(201)], 'VALIDATION_FAILED');
    });
  }

  test('tags may be repeated in the query', async () => {
    const query = { tags: ['a,b', 'c', 'A'] };
    expect((await publishKind(perch, kind, 'x', { query })).tags).toEqual(['a', 'b', 'c']);
  });

  test('a password may be a header, or p or password in the query; an empty one is none', async () => {
    for (const options of [
      { headers: { 'X-Password': 'opened' } },
      { query: { p: 'opened' } },
      { query: { password: 'opened' } },
      { headers: { 'X-Password': 'opened' }, query: { p: 'not used' } },
    ]) {
      const item = await publishKind(perch, kind, 'x', options);
      expect(item.hasPassword).toBe(true);
      expect((await readContent(perch, kind, item, { query: { p: 'opened' } })).status).toBe(200);
    }
    for (const options of [{ headers: { 'X-Password': '' } }, { query: { p: '' } }])
      expect((await publishKind(perch, kind, 'x', options)).hasPassword).toBe(false);
  });

  test('several faults are named together', async () => {
    const query = { ns: 'X', id: '!', ttl: '99' };
    const error = await expectError(await createOf(perch, kind, 'x', { query }), 400, 'VALIDATION_FAILED');
    expect(error.details?.map(({ field }) => field).sort()).toEqual(['id', 'ns', 'ttl']);
  });
});

const withFields = KINDS.filter(({ takesFields }) => takesFields);
test.each(withFields)('the query wins over the body of a create of kind $name', async (kind) => {
  const query = { ns: 'from-query', ttl: '3', tags: 'query', title: 'Query' };
  const fields = { ns: 'from-body', ttl: '4', tags: 'body', title: 'Body' };
  expect(await publishKind(perch, kind, 'x', { query }, fields)).toMatchObject({
    namespace: 'from-query',
    ttlDays: 3,
    tags: ['query'],
    title: 'Query',
  });
});

test.each(withFields)(
  'a blank parameter in the query does not hide the body of a create of kind $name',
  async (kind) => {
    const fields = { ns: 'from-body', ttl: '4', tags: 'body', title: 'Body' };
    for (const tags of ['', ' ', ['', ' ']]) {
      const query = { ttl: '', tags, title: ' ' };
      expect(await publishKind(perch, kind, 'x', { query }, fields)).toMatchObject({
        namespace: 'from-body',
        ttlDays: 4,
        tags: ['body'],
        title: 'Body',
      });
    }
    const query = { tags: ['', 'query'] };
    expect((await publishKind(perch, kind, 'x', { query }, fields)).tags).toEqual(['query']);
  },
);
