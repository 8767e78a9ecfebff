import { describe, expect, test } from 'bun:test';
import {
  type Address,
  apiPath,
  jsonOf,
  ownedBy,
  type Published,
  raw,
  servedByPath,
} from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const MISSING: Address = { namespace: 'public', id: 'never-was' };

const token = (value: string) => ({ headers: { 'X-Owner-Token': value } });
const remove = (page: Address, options = {}) => perch.last.api(page, { method: 'DELETE', ...options });

describe('an owner token sent on create', () => {
  test('groups pages under one owner, in the header and in the query', async () => {
    const first = await perch.publish('<p>one');
    const second = await perch.publish('<p>two', ownedBy(first));
    const third = await perch.publish('<p>three', { query: { token: first.ownerToken } });
    expect([second.ownerToken, third.ownerToken]).toEqual([first.ownerToken, first.ownerToken]);
    for (const page of [first, second, third]) expect((await remove(page, ownedBy(first))).status).toBe(204);
  });

  test('may be any text of at least 16 characters', async () => {
    for (const own of ['x'.repeat(16), 'my own token, with spaces'])
      expect((await perch.publish('<p>x', token(own))).ownerToken).toBe(own);
    for (const short of ['x', 'x'.repeat(15)]) {
      await expectError(await perch.post(raw('x', 'text/html', token(short))), 400, 'OWNER_TOKEN_INVALID');
      const query = { query: { token: short } };
      await expectError(await perch.post(raw('x', 'text/html', query)), 400, 'OWNER_TOKEN_INVALID');
    }
  });

  test('may be in any script, and comes back in a header as it was', async () => {
    const own = 'mein Schlüssel 密码 für alles';
    const accept = { Accept: 'text/plain' };
    const created = await perch.post(raw('<p>x', 'text/html', { query: { token: own }, headers: accept }));
    expect(created.status).toBe(201);
    const { pathname } = new URL(await created.text());
    const settings = `/api/html${pathname}/settings`;
    expect((await perch.request(settings, { query: { token: own } })).status).toBe(200);
    const returned = created.headers.get('X-Owner-Token') ?? '';
    expect((await perch.last.request(settings, token(returned))).status).toBe(200);
  });

  test('has no control characters', async () => {
    for (const own of ['line\r\nX-Injected: 1, and more', 'a NUL \u0000 in the middle'])
      for (const Accept of ['text/plain', '*/*']) {
        const response = await perch.post(
          raw('x', 'text/html', { query: { token: own }, headers: { Accept } }),
        );
        await expectError(response, 400, 'OWNER_TOKEN_INVALID');
      }
  });

  test('has 16 to 512 characters, however many bytes those take', async () => {
    for (const [characters, isTaken] of [
      ...([
        [15, false],
        [16, true],
        [512, true],
        [513, false],
      ] as const),
    ]) {
      const own = '😀'.repeat(characters);
      for (const options of [token(Buffer.from(own).toString('latin1')), { query: { token: own } }]) {
        const response = await perch.post(raw('<p>x', 'text/html', options));
        if (!isTaken) await expectError(response, 400, 'OWNER_TOKEN_INVALID');
        else expect(await response.json()).toMatchObject({ ownerToken: own });
      }
    }
  });

  test('that is blank is none', async () => {
    for (const options of [token(''), token('  '), { query: { token: '' } }])
      expect((await perch.publish('<p>x', options)).ownerToken).toStartWith('own_');
  });

  test('of 10,000 characters is refused', async () => {
    const long = 'x'.repeat(10_000);
    for (const options of [token(long), { query: { token: long } }])
      await expectError(await perch.post(raw('x', 'text/html', options)), 400, 'OWNER_TOKEN_INVALID');
  });
});

describe('delete', () => {
  for (const namespace of ['public', 'deletions']) {
    test(`takes the page away on every gateway at once (${namespace})`, async () => {
      const page = await perch.publish('<p>x', { query: { ns: namespace } });
      for (const client of perch.clients) expect((await client.read(page)).status).toBe(200);
      const removed = await remove(page, ownedBy(page));
      expect(removed.status).toBe(204);
      expect(await removed.text()).toBe('');
      for (const client of perch.clients) {
        const gone: [number, string] = namespace === 'public' ? [410, 'GONE'] : [404, 'NOT_FOUND'];
        await expectError(await client.read(page), ...gone);
        await expectError(await client.read(page, ownedBy(page)), ...gone);
        await expectError(await client.api(page), 404, 'NOT_FOUND');
        await expectError(await client.request(`${apiPath(page)}/settings`, ownedBy(page)), 404, 'NOT_FOUND');
      }
      await expectError(await remove(page, ownedBy(page)), 404, 'NOT_FOUND');
    });
  }

  test('takes the token in the query', async () => {
    const page = await perch.publish('<p>x');
    expect((await remove(page, { query: { token: page.ownerToken } })).status).toBe(204);
  });

  test('needs the owner', async () => {
    const [page, other] = [await perch.publish('<p>mine'), await perch.publish('<p>theirs')];
    for (const options of [{}, token(''), { query: { token: ' ' } }])
      await expectError(await remove(page, options), 403, 'OWNER_TOKEN_REQUIRED');
    for (const wrong of ['x', 'x'.repeat(10_000), other.ownerToken])
      await expectError(await remove(page, token(wrong)), 403, 'OWNER_TOKEN_WRONG');
    expect((await perch.read(page)).status).toBe(200);
    await expectError(await remove(MISSING), 404, 'NOT_FOUND');
    await expectError(await remove(MISSING, ownedBy(page)), 404, 'NOT_FOUND');
  });

  test('of several at once succeeds once', async () => {
    for (const namespace of ['public', 'deletions']) {
      const page = await perch.publish('<p>x', { query: { ns: namespace } });
      const answers = await atOnce(6, (n) =>
        (n % 2 === 0 ? perch : perch.last).api(page, { method: 'DELETE', ...ownedBy(page) }),
      );
      expect(tally(answers.map(({ status }) => status))).toEqual({ 204: 1, 404: 5 });
    }
  });
});

const COMMON = [
  ...['namespace', 'id', 'format', 'language', 'title', 'filename', 'showTopBar', 'showTopBarOverride'],
  ...['ttlDays', 'tags', 'sizeBytes', 'createdAt', 'updatedAt', 'expiresAt'],
];

describe('settings and source', () => {
  const publishFull = () =>
    perch.publish({
      json: {
        content: '# Grüße\r\n',
        format: 'md',
        ns: 'described',
        ttl: 5,
        tags: 'a,b',
        title: 'T',
        filename: 'f.md',
        showTopBar: true,
        password: 'secret',
      },
    });
  const expected = ({ id, createdAt, expiresAt }: Published) => ({
    namespace: 'described',
    id,
    format: 'MARKDOWN',
    language: null,
    title: 'T',
    filename: 'f.md',
    showTopBar: true,
    showTopBarOverride: true,
    ttlDays: 5,
    tags: ['a', 'b'],
    sizeBytes: 11,
    createdAt,
    updatedAt: createdAt,
    expiresAt,
  });

  test('settings have all but the content', async () => {
    const page = await publishFull();
    for (const options of [ownedBy(page), { query: { token: page.ownerToken } }]) {
      const settings = await jsonOf(await perch.last.request(`${apiPath(page)}/settings`, options));
      const hosting = servedByPath(perch.last.url, page, 'protected');
      expect(settings).toEqual({ ...expected(page), hasPassword: true, ...hosting });
    }
    const plain = await perch.publish('<p>x');
    const settings = await jsonOf(await perch.request(`${apiPath(plain)}/settings`, ownedBy(plain)));
    const hosting = Object.keys(servedByPath(perch.url, plain));
    expect(Object.keys(settings).sort()).toEqual([...COMMON, 'hasPassword', ...hosting].sort());
    // The server's default is in force, as the page chose nothing.
    expect(settings).toMatchObject({
      showTopBar: false,
      showTopBarOverride: null,
      filename: null,
      ttlDays: 15,
    });
    const text = await perch.publish(raw('a: 1', 'text/yaml', { query: { showTopBar: false } }));
    const described = await jsonOf(await perch.request(`${apiPath(text)}/settings`, ownedBy(text)));
    expect(described).toMatchObject({ format: 'TEXT', language: 'yaml', showTopBarOverride: false });
  });

  test('source has the content as well', async () => {
    const page = await publishFull();
    const source = await jsonOf(await perch.last.request(`${apiPath(page)}/source`, ownedBy(page)));
    expect(source).toEqual({ ...expected(page), content: '# Grüße\r\n' });
  });

  test('source is what was sent, to the byte', async () => {
    const contents = [
      ...[
        '\ufeff<p>BOM',
        '<p>a\r\nb\rc\n',
        '<p>no newline at the end',
        '  \n\t <p> around \n\n',
        '<script>x</script>',
      ],
      ...['<p>\u2028\u0085\u200b\u0001', '<p>\u{1f600}e\u0301 "quotes" \\ backslash &amp; &'],
    ];
    for (const [type, sent] of contents.flatMap(
      (text) =>
        [
          ['text/html', text],
          ['text/markdown', text],
          ['text/plain', text],
        ] as const,
    )) {
      const page = await perch.publish(raw(sent, type));
      const { content } = await jsonOf(await perch.request(`${apiPath(page)}/source`, ownedBy(page)));
      expect(Buffer.from(String(content))).toEqual(Buffer.from(sent));
    }
  });

  for (const part of ['settings', 'source']) {
    test(`${part} are for the owner only`, async () => {
      const page = await perch.publish('<p>x');
      const path = `${apiPath(page)}/${part}`;
      for (const options of [{}, token(''), token('   '), { query: { token: '' } }])
        await expectError(await perch.request(path, options), 400, 'OWNER_TOKEN_REQUIRED');
      for (const wrong of ['x', 'x'.repeat(10_000), `${page.ownerToken}x`])
        await expectError(await perch.request(path, token(wrong)), 403, 'OWNER_TOKEN_WRONG');
      await expectError(await perch.request(`${apiPath(MISSING)}/${part}`, ownedBy(page)), 404, 'NOT_FOUND');
      await expectError(
        await perch.request(path, { method: 'POST', ...ownedBy(page) }),
        405,
        'METHOD_NOT_ALLOWED',
      );
    });

    test(`${part} are neither counted as views nor kept by caches`, async () => {
      const page = await perch.publish('<p>x');
      const response = await perch.request(`${apiPath(page)}/${part}`, ownedBy(page));
      expect(response.headers.get('Cache-Control')).toContain('no-store');
      expect((await perch.read(page)).headers.get('X-Views')).toBe('1');
    });
  }
});
