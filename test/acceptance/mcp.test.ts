import { describe, expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import { raw } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { connectAgent, type Made, named, owned } from './support/mcp-client.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** A result that names its version. */
interface Versioned {
  etag: string;
}

describe('each tool does what its operation does:', () => {
  test('a file, from text and from base64', async () => {
    const agent = await connectAgent(perch.url);
    const text = await agent.call<Made>('publish_file', { filename: 'notes.md', text: '# Notes\n' });
    const shown = await perch.request(`/api/files/${text.namespace}/${text.id}`);
    expect(await shown.text()).toBe('# Notes\n');
    const dot =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const picture = await agent.call<Made>('publish_file', { filename: 'dot.png', base64: dot });
    const bytes = await (await perch.request(`/api/files/${picture.namespace}/${picture.id}`)).bytes();
    expect(bytes.toBase64()).toBe(dot);
    const half = 'a\ud800b';
    for (const given of [
      ...[{}, { text: 'a', base64: 'YQ==' }, { base64: '*' }, { text: half }],
      ...[
        { text: 'a', title: half },
        { text: 'a', password: half },
        { text: 'a', filename: half },
      ],
    ])
      expect(await agent.fail('publish_file', { filename: 'a.txt', ...given })).toMatchObject({
        code: 'VALIDATION_FAILED',
      });
  });

  test('a site, and its replacement', async () => {
    const agent = await connectAgent(perch.url);
    const files = [
      { path: 'index.html', text: '<link rel=stylesheet href=css/site.css><h1>Site</h1>' },
      { path: 'css/site.css', base64: btoa('h1 { color: teal }') },
    ];
    const site = await agent.call<Made & { fileCount: number }>('publish_site', { files, title: 'Launch' });
    expect(site.fileCount).toBe(2);
    const style = await perch.request(`/${site.namespace}/${site.id}/css/site.css`);
    expect(await style.text()).toBe('h1 { color: teal }');
    const again = {
      ...owned(site),
      files: [{ path: 'start.html', text: '<h1>New</h1>' }],
      entry: 'start.html',
    };
    expect(await agent.call('republish_site', again)).toMatchObject({
      fileCount: 1,
      entryFile: 'start.html',
    });
    expect((await perch.request(`/${site.namespace}/${site.id}/css/site.css`)).status).toBe(404);
  });

  test('a JSON document, and its replacement on a condition', async () => {
    const agent = await connectAgent(perch.url);
    const document = { open: true, cities: ['Berlin', 'Zürich'], deep: { n: 1.5, none: null } };
    const made = await agent.call<Made>('publish_json', { document, tags: ['launch', 'docs'] });
    const read = await agent.call<{ document: unknown; etag: string }>('get_json', named(made));
    expect(read.document).toEqual(document);
    const change = { ...owned(made), document: [1, 'two'], ifMatch: read.etag };
    await agent.call('update_json', change);
    expect(await agent.fail('update_json', change)).toMatchObject({ code: 'PRECONDITION_FAILED' });
    expect(await agent.call('get_json', named(made))).toMatchObject({ document: [1, 'two'] });
  });

  test('a page, by one of two agents that have read it', async () => {
    const [one, other] = await Promise.all([connectAgent(perch.url), connectAgent(perch.url)]);
    const made = await one.call<Made>('publish_html', { content: '<p>first' });
    const { etag } = await one.call<Versioned>('get_page', named(made));
    expect(await other.call('get_page', named(made))).toMatchObject({ etag });
    const written = await one.call<Versioned>('update_html', {
      ...owned(made),
      content: '<p>by one',
      ifMatch: etag,
    });
    const late = { ...owned(made), content: '<p>by the other', ifMatch: etag };
    for (const failed of [
      await other.fail('update_html', late),
      await other.fail('delete_resource', { ...owned(made), ifMatch: etag }),
    ])
      expect(failed).toMatchObject({
        code: 'PRECONDITION_FAILED',
        next: expect.stringMatching(/Read the item again.*`etag` as `ifMatch`/),
      });
    const read = await other.call<Versioned>('get_page', named(made));
    expect(read).toMatchObject({ content: '<p>by one', etag: written.etag });
    const { etag: last } = await other.call<Versioned>('update_html', { ...late, ifMatch: read.etag });
    expect(await other.call('delete_resource', { ...owned(made), ifMatch: last })).toHaveProperty('deleted');
  });

  test('a store and its keys', async () => {
    const agent = await connectAgent(perch.url);
    const store = await agent.call<Made>('publish_kv', { key: 'greeting', value: 'Hello' });
    const entry = { ...owned(store), key: 'state', value: { step: 1 } };
    const written = await agent.call<{ etag: string; version: number }>('set_kv', entry);
    expect(written.version).toBe(1);
    expect(await agent.fail('set_kv', { ...entry, onlyIfAbsent: true })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await agent.call('set_kv', { ...entry, value: null, ifMatch: written.etag });
    expect(await agent.call('get_kv', { ...named(store), key: 'state' })).toMatchObject({
      value: null,
      version: 2,
    });
    expect(await agent.call('get_kv', named(store))).toMatchObject({ keys: ['greeting', 'state'] });
    const removal = { ...owned(store), key: 'greeting' };
    expect(await agent.fail('delete_resource', { ...removal, ifMatch: written.etag })).toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    const greeting = await agent.call<Versioned>('get_kv', { ...named(store), key: 'greeting' });
    await agent.call('delete_resource', { ...removal, ifMatch: greeting.etag });
    expect(await agent.call('get_kv', named(store))).toMatchObject({ keys: ['state'] });
  });

  test('removal of items of every kind', async () => {
    const agent = await connectAgent(perch.url);
    const files = [{ path: 'index.html', text: '<p>one' }];
    const made = await Promise.all([
      agent.call<Made>('publish_html', { content: '<p>one' }),
      agent.call<Made>('publish_file', { filename: 'a.txt', text: 'one' }),
      agent.call<Made>('publish_site', { files }),
      agent.call<Made>('publish_json', { document: 1 }),
      agent.call<Made>('publish_kv', { key: 'a', value: 1 }),
    ]);
    for (const item of made) {
      expect(await agent.call('delete_resource', owned(item))).toEqual({ ...named(item), deleted: true });
      expect((await perch.request(`/${item.namespace}/${item.id}`)).status).toBe(404);
    }
  });

  test('the owner: what is theirs, and for how long', async () => {
    const ownerToken = `own_${nanoid(40)}`;
    const agent = await connectAgent(perch.url, { headers: { 'X-Owner-Token': ownerToken } });
    const page = await agent.call<Made>('publish_html', { content: '<p>mine', ttlDays: 3 });
    const other = await agent.call<Made>('publish_json', { document: {}, namespace: page.namespace });
    expect([page.ownerToken, other.ownerToken]).toEqual([ownerToken, ownerToken]);
    expect(await agent.call('list_mine', { kind: 'json' })).toMatchObject({
      total: 1,
      items: [named(other)],
    });
    expect(await agent.call('list_mine', { ownerToken: `own_${nanoid(40)}` })).toMatchObject({ total: 0 });
    expect(await agent.call('renew', { ...named(page), ttlDays: 7 })).toMatchObject({ ttlDays: 7 });
    expect(await agent.call('renew', named(page))).toMatchObject({ ttlDays: 7, ...named(page) });
    await agent.call('update_html', { ...named(page), content: '<p>still mine' });
    for (const empty of ['', ' ']) {
      const change = { ...named(page), content: '<p>mine with an empty argument', ownerToken: empty };
      await agent.call('update_html', change);
    }
  });

  test('the gallery, the statistics and the limits', async () => {
    const agent = await connectAgent(perch.url);
    const word = `heron${nanoid(8)
      .toLowerCase()
      .replace(/[^a-z0-9]/g, 'x')}`;
    const page = await agent.call<Made>('publish_html', {
      content: '<p>public',
      title: `A ${word}`,
      namespace: 'public',
      tags: ['launch'],
    });
    expect(page.readableBy).toContain('Everybody');
    const found = await agent.call('search_gallery', {
      query: word,
      kind: 'html',
      tag: 'launch',
      sort: 'views',
    });
    expect(found).toMatchObject({ total: 1, items: [named(page)] });
    expect(await agent.call('get_stats', { timeZone: 'Europe/Berlin' })).toHaveProperty('activeItems');
    const { windows } = await agent.call<{ windows: unknown[] }>('get_limits');
    expect(windows.length).toBeGreaterThan(2);
  });
});

test('a password protects what was published with it, and the answer says so', async () => {
  const agent = await connectAgent(perch.url);
  const password = 'größer als "gedacht"; 7';
  const made = await agent.call<Made>('publish_json', { document: 7, password });
  expect(made.readableBy).toContain('password');
  expect(await agent.fail('get_json', named(made))).toMatchObject({ code: 'PASSWORD_REQUIRED' });
  expect(await agent.fail('get_json', { ...named(made), password: 'no' })).toMatchObject({
    code: 'PASSWORD_WRONG',
  });
  expect(await agent.call('get_json', { ...named(made), password })).toMatchObject({ document: 7 });
  expect(await agent.call('get_json', owned(made))).toMatchObject({ document: 7 });
});

test('a page that loads files beside it is warned of by the name of the tool for it', async () => {
  const agent = await connectAgent(perch.url);
  const made = await agent.call('publish_html', { content: '<link rel=stylesheet href=site.css>' });
  expect(made).toMatchObject({
    result: {
      code: 'warned',
      reason: expect.stringMatching(/together with them as a site: publish_site\.$/),
      extras: { localAssetRefs: ['site.css'] },
    },
  });
});

test('a page without a tag whose format was left out is warned of', async () => {
  const agent = await connectAgent(perch.url);
  const page = await agent.call<Made & { result: { code: string; reason?: string } }>('publish_html', {
    content: '# Launch',
  });
  expect(page.result).toMatchObject({ code: 'warned', reason: expect.stringContaining('"markdown"') });
  expect(await agent.call('publish_html', { content: '# Launch', format: 'markdown' })).toMatchObject({
    result: { code: 'success' },
  });
});

test('a repeated call with an idempotency key returns what the first one made', async () => {
  const agent = await connectAgent(perch.url);
  const given = { content: '<p>once', namespace: `once-${nanoid(8).toLowerCase().replace(/_/g, '-')}` };
  const idempotencyKey = nanoid(32);
  const [one, two] = await Promise.all([
    agent.call<Made>('publish_html', { ...given, idempotencyKey }),
    agent.call<Made>('publish_html', { ...given, idempotencyKey }),
  ]);
  expect(two).toEqual(one);
  const nowhere = await agent.fail('publish_html', { content: '<p>once', idempotencyKey });
  expect(nowhere.details?.map(({ field }) => field)).toEqual(['namespace']);
});

test('a long page comes in part, unless all of it is asked for', async () => {
  const agent = await connectAgent(perch.url);
  const content = `${'x'.repeat(49_999)}🐦${'y'.repeat(100)}`;
  const made = await agent.call<Made>('publish_html', { content, format: 'text' });
  const part = await agent.call<{ content: string }>('get_page', named(made));
  expect(part).toMatchObject({ isWhole: false, characters: [...content].length });
  // A character of two halves is one, and is not divided.
  expect(part.content).toBe([...content].slice(0, 50_000).join(''));
  const whole = await agent.call('get_page', { ...named(made), maxCharacters: 100_000 });
  expect(whole).toMatchObject({ content, isWhole: true });
});

test('a page that begins with a byte order mark comes with it', async () => {
  const agent = await connectAgent(perch.url);
  const content = '\ufeffa,b';
  const page = await perch.publish(raw(content, 'text/csv'));
  expect(await agent.call('get_page', { namespace: page.namespace, id: page.id })).toMatchObject({
    content,
    characters: 4,
  });
});

describe('a failed call says the code and what to do:', () => {
  test('arguments that are wrong, missing or unknown', async () => {
    const agent = await connectAgent(perch.url);
    const wrong = await agent.fail('publish_html', { content: '<p>x', format: 'pdf', colour: 'teal' });
    expect(wrong).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(wrong.details?.map(({ field }) => field).toSorted()).toEqual(['colour', 'format']);
    expect(wrong.details?.find(({ field }) => field === 'format')?.message).toContain('html, markdown, text');
    expect(wrong.details?.find(({ field }) => field === 'colour')?.message).toContain(
      'is no argument of this tool, which has content, format, namespace',
    );
    expect(await agent.fail('publish_html')).toMatchObject({
      details: [{ field: 'content', message: 'is missing.' }],
    });
    expect(await agent.fail('get_limits', { verbose: true })).toMatchObject({
      details: [{ field: 'verbose', message: 'is no argument of this tool, which has none.' }],
    });
    expect(await agent.fail('publish_json', { document: 1, namespace: 'API' })).toMatchObject({
      code: 'NAMESPACE_INVALID',
    });
  });

  test('arguments that are too many, too few, too long or too large', async () => {
    const agent = await connectAgent(perch.url);
    const page = { content: '<p>x' };
    for (const [tool, given, field, message] of [
      ['publish_site', { files: [] }, 'files', 'must have at least 1 element.'],
      ['publish_html', { ...page, tags: Array(21).fill('a') }, 'tags', 'must have at most 20 elements.'],
      ['publish_html', { ...page, id: 'x'.repeat(101) }, 'id', 'must have at most 100 characters.'],
      ['publish_html', { ...page, ttlDays: 0 }, 'ttlDays', 'must be at least 1.'],
      ['list_mine', { size: 101 }, 'size', 'must be at most 100.'],
      ['list_mine', { size: 'ten' }, 'size', 'is wrong: expected integer.'],
    ] as const)
      expect(await agent.fail(tool, given)).toMatchObject({ details: [{ field, message }] });
  });

  test('names of the interface in place of those of arguments', async () => {
    const agent = await connectAgent(perch.url);
    const given = { content: '<p>x', ns: 'abc', ttl: 7, owner_token: 'own_x', 'If-Match': '*' };
    const wrong = await agent.fail('publish_html', given);
    expect(wrong.details?.toSorted((one, other) => one.field.localeCompare(other.field))).toEqual([
      { field: 'If-Match', message: expect.stringContaining('which has content, format,') },
      { field: 'ns', message: 'is no argument of this tool: use namespace.' },
      { field: 'owner_token', message: 'is no argument of this tool: use ownerToken.' },
      { field: 'ttl', message: 'is no argument of this tool: use ttlDays.' },
    ]);
  });

  test('the field of a file that is wrong, and which fields a file has', async () => {
    const agent = await connectAgent(perch.url);
    const either = 'send either `text` or `base64`.';
    const noBase64 = 'is not base64.';
    for (const [file, field, message] of [
      [{ content: 'x' }, 'content', 'is no field of files/0, which has path, text, base64.'],
      [{ Text: 'x' }, 'Text', 'is no field of files/0: use text.'],
      [{}, 'text', either],
      [{ base64: '*' }, 'base64', noBase64],
    ] as const) {
      const files = [{ path: 'index.html', ...file }];
      expect(await agent.fail('publish_site', { files })).toMatchObject({
        details: [{ field: `files/0/${field}`, message }],
      });
    }
    for (const [bytes, field, message] of [
      [{}, 'text', either],
      [{ base64: '*' }, 'base64', noBase64],
    ] as const)
      expect(await agent.fail('publish_file', { filename: 'a.txt', ...bytes })).toMatchObject({
        details: [{ field, message }],
      });
  });

  test('arguments that the interface has under other names', async () => {
    const agent = await connectAgent(perch.url);
    const wrong = { content: '<p>x', namespace: 'API', ttlDays: 4_000 };
    const page = await agent.fail('publish_html', wrong);
    expect(page.details?.map(({ field }) => field).toSorted()).toEqual(['namespace', 'ttlDays']);
    for (const { field, message } of page.details ?? [])
      expect(page.message).toContain(`${field}: ${message}`);
    const long = 'x'.repeat(2_001);
    for (const [tool, argument, value] of [
      ['search_gallery', 'query', 'x'.repeat(201)],
      ['get_stats', 'timeZone', 'Mars/Olympus'],
      ['list_mine', 'ownerToken', long],
    ] as const)
      expect(await agent.fail(tool, { [argument]: value })).toMatchObject({ details: [{ field: argument }] });
    const item = { namespace: 'public', id: 'x' };
    expect(await agent.fail('get_json', { ...item, password: long })).toMatchObject({
      details: [{ field: 'password' }],
    });
    const short = { content: '<p>x', namespace: 'public', idempotencyKey: 'short' };
    expect(await agent.fail('publish_html', short)).toMatchObject({ details: [{ field: 'idempotencyKey' }] });
  });

  test('a namespace that is empty or reserved, without a word of a default that tools do not have', async () => {
    const agent = await connectAgent(perch.url);
    for (const [namespace, code] of [
      ['', 'NAMESPACE_INVALID'],
      [' ', 'NAMESPACE_INVALID'],
      ['gallery', 'NAMESPACE_RESERVED'],
    ]) {
      const refused = await agent.fail('publish_html', { content: '<p>x', namespace });
      expect(refused).toMatchObject({ code, details: [{ field: 'namespace' }] });
      expect(refused.message).not.toContain('"public"');
    }
  });

  test('a token that is missing or wrong', async () => {
    const agent = await connectAgent(perch.url);
    const made = await agent.call<Made>('publish_kv', { key: 'a', value: 1 });
    const change = { ...named(made), key: 'a', value: 2 };
    const missing = await agent.fail('set_kv', change);
    expect([missing.code, missing.next]).toEqual([
      'OWNER_TOKEN_REQUIRED',
      expect.stringContaining('ownerToken'),
    ]);
    const ownerToken = `own_${nanoid(40)}`;
    const wrong = await agent.fail('set_kv', { ...change, ownerToken });
    expect(wrong.code).toBe('OWNER_TOKEN_WRONG');
    expect(JSON.stringify(wrong)).not.toContain(ownerToken);
  });

  test('a list without a token, or with what is none', async () => {
    const agent = await connectAgent(perch.url);
    for (const [ownerToken, code] of [
      [undefined, 'OWNER_TOKEN_REQUIRED'],
      [' ', 'OWNER_TOKEN_REQUIRED'],
      ['own_short', 'OWNER_TOKEN_INVALID'],
    ] as const) {
      const failed = await agent.fail('list_mine', { ownerToken });
      expect([failed.code, failed.message, failed.next]).toEqual([
        code,
        expect.stringContaining('ownerToken'),
        expect.stringContaining('`ownerToken`'),
      ]);
      expect(failed.next).not.toContain('this item');
    }
  });

  test('conditions, tokens and passwords by the names of arguments', async () => {
    const agent = await connectAgent(perch.url);
    const store = await agent.call<Made>('publish_kv', { key: 'a', value: 1, password: 'heron' });
    const key = { ...named(store), key: 'a' };
    const change = { ...owned(store), ...key, value: 2 };
    for (const [tool, given, code, message] of [
      [
        'publish_json',
        { document: 1, ownerToken: 'short' },
        'OWNER_TOKEN_INVALID',
        /^ownerToken: a token has/,
      ],
      ['set_kv', { ...key, value: 2 }, 'OWNER_TOKEN_REQUIRED', /as `ownerToken`\.$/],
      ['get_kv', key, 'PASSWORD_REQUIRED', /as `password`\.$/],
      [
        'set_kv',
        { ...change, onlyIfAbsent: true },
        'PRECONDITION_FAILED',
        /there already, and `onlyIfAbsent`/,
      ],
      ['set_kv', { ...change, ifMatch: '"9"' }, 'PRECONDITION_FAILED', /`etag` is not that of `ifMatch`/],
    ] as const) {
      const failed = await agent.fail(tool, given);
      expect([tool, failed.code, failed.message]).toEqual([tool, code, expect.stringMatching(message)]);
      expect(failed.message).not.toMatch(/X-|If-|\?token|ETag/);
    }
    const taken = await agent.fail('set_kv', { ...change, onlyIfAbsent: true });
    expect(taken.next).toContain('without `onlyIfAbsent`');
  });

  test('an item of another kind than the tool is for', async () => {
    const agent = await connectAgent(perch.url);
    const file = await agent.call<Made>('publish_file', { filename: 'a.txt', text: 'one' });
    for (const [tool, given] of [
      ['get_page', named(file)],
      ['update_html', { ...owned(file), content: '<p>x' }],
      ['republish_site', { ...owned(file), files: [{ path: 'index.html', text: '<p>x' }] }],
    ] as const) {
      const failed = await agent.fail(tool, given);
      expect([tool, failed.code, failed.next]).toEqual([
        tool,
        'NOT_FOUND',
        expect.stringContaining('of another kind, which this tool is not for: list_mine tells the kind'),
      ]);
    }
  });

  test('a number that a tool cannot hold', async () => {
    const agent = await connectAgent(perch.url);
    const made = await agent.call<Made>('publish_kv', { key: 'a', value: 1 });
    const put = (value: string) =>
      perch.request(`/api/kv/${made.namespace}/${made.id}/a`, {
        method: 'PUT',
        body: `{"value":${value}}`,
        headers: { 'X-Owner-Token': made.ownerToken, 'Content-Type': 'application/json' },
      });
    await put('[1.50,1e400]');
    const read = await agent.fail('get_kv', { ...named(made), key: 'a' });
    expect([read.code, read.details?.[0]?.message]).toEqual([
      'VALIDATION_FAILED',
      expect.stringContaining('1e400 has more digits'),
    ]);
    await put('[1.50]');
    expect(await agent.call('get_kv', { ...named(made), key: 'a' })).toMatchObject({ value: [1.5] });
    const message = (document: string) =>
      perch.request('/mcp', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"publish_json","arguments":{"document":${document}}}}`,
      });
    await expectError(await message('[12345678901234567890]'), 400, 'VALIDATION_FAILED');
    expect((await message('[12345678901234567000]')).status).toBe(200);
  });

  test('a tool that there is not', async () => {
    const { client } = await connectAgent(perch.url);
    expect(client.callTool({ name: 'publish_everything', arguments: {} })).rejects.toThrow(
      'There is no tool',
    );
  });
});

test('paths in arguments lead nowhere', async () => {
  const agent = await connectAgent(perch.url);
  for (const [namespace, id] of [
    ['..', 'admin'],
    ['public', '../../docs/json'],
    ['html', 'x?token=y'],
    ['public', '%2e%2e%2fapi'],
  ])
    expect(await agent.fail('get_page', { namespace, id })).toMatchObject({ code: 'NOT_FOUND' });
  for (const path of ['../index.html', '/etc/index.html', 'C:\\index.html', 'a/../../index.html']) {
    const refused = await agent.fail('publish_site', { files: [{ path, text: '<p>x' }] });
    expect([path, refused.code]).toEqual([path, 'VALIDATION_FAILED']);
  }
  expect(await agent.fail('publish_file', { filename: '../a.txt', text: 'x' })).toHaveProperty('code');
});
