import { beforeAll, describe, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Perch, PerchError, type Progress } from 'perch-client';
import { clientInstance } from './instance.ts';

let url: string;
let perch: Perch;
let anybody: Perch;

beforeAll(async () => {
  ({ url } = await clientInstance());
  anybody = new Perch({ url });
  const { ownerToken } = await anybody.createOwnerToken();
  perch = new Perch({ url, ownerToken });
}, 60_000);

/** The error that a call fails with. */
async function failureOf(call: Promise<unknown>): Promise<PerchError> {
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof PerchError) return error;
  throw new Error(`expected a PerchError, got ${String(error)}`);
}

const bytesOf = async (response: Response): Promise<string> =>
  new Bun.SHA256().update(await response.arrayBuffer()).digest('hex');

describe('each kind', () => {
  test('a page: published, read, changed, renewed, listed, removed', async () => {
    const page = await perch.pages.create('# Hello', {
      contentType: 'text/markdown',
      ns: 'client-pages',
      id: 'hello',
      tags: ['one', 'two'],
      ttl: 3,
    });
    expect(page).toMatchObject({ format: 'MARKDOWN', title: 'Hello', tags: ['one', 'two'], ttlDays: 3 });
    expect(await anybody.pages.read(page)).toBe('# Hello');
    await perch.pages.update(page, '# Again');
    expect((await perch.pages.source(page)).content).toBe('# Again');
    expect((await perch.pages.settings(page)).format).toBe('MARKDOWN');
    expect((await perch.renew(page, { ttl: '9d' })).ttlDays).toBe(9);
    expect((await perch.pages.list({ ns: 'client-pages' })).map(({ id }) => id)).toEqual(['hello']);
    expect(await anybody.resolveCode(page.shortUrl.slice(-7))).toBe(page.url);
    await perch.pages.remove(page);
    expect((await failureOf(anybody.pages.read(page))).code).toBe('NOT_FOUND');
  });

  test('a document: a condition holds for the version it names', async () => {
    const document = await perch.json.create({ step: 1 }, { id: 'client-document' });
    const first = await anybody.json.read<{ step: number }>(document);
    expect(first.value).toEqual({ step: 1 });
    await perch.json.update(document, { step: 2 }, { ifMatch: first.etag });
    const refused = await failureOf(perch.json.update(document, { step: 3 }, { ifMatch: first.etag }));
    expect(refused).toMatchObject({ code: 'PRECONDITION_FAILED', status: 412 });
    await perch.json.updateText(document, '{"big": 12345678901234567890}');
    expect((await anybody.json.read(document)).text).toBe('{"big": 12345678901234567890}');
    await perch.json.remove(document);
  });

  test('a store: keys are written, read, conditionally created and removed', async () => {
    const store = await perch.kv.create('a/b'.replace('/', ' & '), [1], { ns: 'client-stores' });
    await perch.kv.set(store, 'x?y#z', null, { isNew: true });
    expect((await failureOf(perch.kv.set(store, 'x?y#z', 2, { isNew: true }))).code).toBe(
      'PRECONDITION_FAILED',
    );
    const entry = await anybody.kv.get<null>(store, 'x?y#z');
    expect(entry).toMatchObject({ value: null, key: 'x?y#z' });
    await perch.kv.set(store, 'x?y#z', { deep: true }, { ifMatch: entry.etag });
    expect((await anybody.kv.get(store, 'x?y#z')).value).toEqual({ deep: true });
    expect((await anybody.kv.read(store)).keys.toSorted()).toEqual(['a & b', 'x?y#z']);
    await perch.kv.removeKey(store, 'a & b');
    expect((await anybody.kv.read(store)).count).toBe(1);
    await perch.kv.remove(store);
  });

  test('a file: streamed from a Blob and from a stream, its progress told, read back byte for byte', async () => {
    const bytes = new Uint8Array(3_000_000).map((_, n) => n % 251);
    bytes.set(new TextEncoder().encode('%PDF-1.4\n'));
    const told: Progress[] = [];
    const onProgress = (progress: Progress) => void told.push(progress);
    const fromBlob = await perch.files.create(new File([bytes], 'a "b".pdf'), { onProgress });
    expect(fromBlob).toMatchObject({ filename: 'a "b".pdf', sizeBytes: bytes.length });
    expect(told.length).toBeGreaterThan(2);
    expect(told.at(-1)?.sentBytes).toBe(told[0]?.totalBytes ?? 0);
    const fromStream = await perch.files.create(new Blob([bytes]).stream(), { filename: 'b.pdf' });
    const expected = await bytesOf(new Response(bytes));
    expect(await bytesOf(await anybody.files.read(fromBlob))).toBe(expected);
    expect(await bytesOf(await anybody.files.read(fromStream))).toBe(expected);
    // A file of a few bytes goes another way than a large one.
    const path = join(tmpdir(), `perch-${crypto.randomUUID()}.txt`);
    await Bun.write(path, 'from the disk');
    const fromDisk = await perch.files.create(Bun.file(path), { filename: 'c.txt' });
    expect(await (await anybody.files.read(fromDisk)).text()).toBe('from the disk');
    await Bun.file(path).delete();
    await perch.files.remove(fromDisk);
    await perch.files.remove(fromBlob);
    expect((await perch.files.list()).map(({ filename }) => filename)).toEqual(['b.pdf']);
  });

  test('a site: from files and from a ZIP, replaced as a whole', async () => {
    const site = await perch.sites.create([
      { path: 'index.html', content: '<h1>One</h1>' },
      { path: 'größe/a b.css', content: 'p {}' },
    ]);
    expect(site.fileCount).toBe(2);
    expect(await (await perch.sites.readFile(site, 'größe/a b.css')).text()).toBe('p {}');
    await perch.sites.replace(site, [{ path: 'start.html', content: '<h1>Two</h1>' }], {
      entry: 'start.html',
    });
    expect((await perch.sites.read(site)).files.map(({ path }) => path)).toEqual(['start.html']);
    const { unzipSync, zipSync } = await import('fflate');
    const whole = await (await perch.sites.archive(site)).bytes();
    expect(Object.keys(unzipSync(whole))).toEqual(['start.html']);
    const archive = zipSync({ 'index.html': new TextEncoder().encode('<h1>Zip') });
    const zipped = await perch.sites.create({ archive: new Blob([archive]) });
    expect(await (await fetch(`${zipped.url}/`)).text()).toContain('<h1>Zip');
  });
});

test('what an owner has, the gallery, the statistics and namespaces', async () => {
  const { ownerToken } = await anybody.createOwnerToken();
  const mine = await anybody.pages.create('x', {
    ownerToken,
    id: 'client-listed',
    title: 'Woodpecker notes',
  });
  const hidden = await anybody.json.create(1, { ownerToken, password: 'sesame' });
  expect((await anybody.items({ ownerToken })).total).toBe(2);
  expect((await anybody.items({ ownerToken, kind: 'json' })).items.map(({ id }) => id)).toEqual([hidden.id]);
  expect((await failureOf(anybody.json.read({ namespace: 'public', id: hidden.id }))).code).toBe(
    'PASSWORD_REQUIRED',
  );
  const read = await anybody.json.read({ namespace: 'public', id: hidden.id }, { password: 'sesame' });
  expect(read.value).toBe(1);
  expect(await anybody.checkOwner(mine)).toMatchObject({ type: 'html', owner: true });
  expect(await perch.checkOwner({ namespace: 'public', id: mine.id })).toMatchObject({ owner: false });
  expect((await anybody.gallery({ q: 'woodpecker' })).items.map(({ id }) => id)).toEqual(['client-listed']);
  expect((await anybody.stats()).activeItems).toBeGreaterThan(0);
  expect((await anybody.suggestNamespaces({ q: 'Café notes' })).suggestions).toContain('cafe-notes');
  expect((await anybody.randomNamespace()).namespace).not.toBe('');
});

test("an error has the service's code, its request id and the fields at fault", async () => {
  const invalid = await failureOf(perch.pages.create('x', { ttl: 99 }));
  expect(invalid).toMatchObject({ code: 'TTL_INVALID', status: 400, details: [{ field: 'ttl' }] });
  expect(invalid.requestId).not.toBeEmpty();
  const tooLarge = await failureOf(
    perch.files.create(new Blob([new Uint8Array(6_000_000).fill(65)]), { filename: 'x.txt' }),
  );
  expect(tooLarge.code).toBe('TOO_LARGE');
  const page = await perch.pages.create('x');
  const noToken = await failureOf(anybody.pages.update({ namespace: page.namespace, id: page.id }, 'y'));
  expect(noToken).toMatchObject({ code: 'OWNER_TOKEN_REQUIRED', status: 403 });
});

test('a key, an id or a path that a URL leaves out is refused, and nothing is removed', async () => {
  const store = await perch.kv.create('kept', 1);
  for (const key of ['', '.', '..']) {
    await expect(perch.kv.removeKey(store, key)).rejects.toThrow(TypeError);
    await expect(perch.kv.set(store, key, 1)).rejects.toThrow('is no key');
    await expect(perch.json.remove({ namespace: store.namespace, id: key })).rejects.toThrow('is no id');
  }
  await expect(perch.sites.readFile(store, 'a/../b')).rejects.toThrow('is no filePath');
  await expect(perch.files.create('no name')).rejects.toThrow(TypeError);
  expect((await perch.kv.read(store)).keys).toEqual(['kept']);
});

test('passwords and owner tokens of any letters arrive as they are, and one that no header can carry is told', async () => {
  for (const secret of ['密码-und-noch-größer-à', 'пароль-владельца']) {
    const page = await anybody.pages.create('# Secret', { password: secret, ownerToken: secret });
    const item = { namespace: page.namespace, id: page.id };
    const [read, asked] = [await anybody.pages.read(item, { password: secret }), new URL(page.url)];
    asked.searchParams.set('p', secret);
    expect([read, (await fetch(asked)).status]).toEqual(['# Secret', 200]);
    await anybody.pages.update(item, '# Changed', { ownerToken: secret });
  }
  const refused = anybody.stats({ password: 'two\nlines' });
  await expect(refused).rejects.toThrow(
    new TypeError('X-Password has a control character, which no header can carry.'),
  );
});

test('an address without http:// or https:// is refused before anything is sent', () => {
  for (const address of [
    'localhost:17080',
    'perch.example.org',
    'ftp://perch.example.org',
    '',
    'u:secret@host',
  ])
    expect(() => new Perch({ url: address })).toThrow(
      new TypeError('The url is no address of a Perch: it is like https://perch.example.org.'),
    );
  expect(new Perch({ url: 'HTTP://LOCALHOST:17080/' }).url).toBe('http://localhost:17080');
});

test('an owner token and a password of a file work with the end of its line', async () => {
  const page = await anybody.pages.create('# Secret', {
    password: 'sesame',
    ownerToken: 'kept-in-a-file-1\n',
  });
  const item = { namespace: page.namespace, id: page.id };
  expect(await anybody.pages.read(item, { password: 'sesame\r\n' })).toBe('# Secret');
  const owner = new Perch({ url, ownerToken: '\t kept-in-a-file-1\n' });
  expect(await owner.checkOwner(item)).toMatchObject({ owner: true });
  await anybody.pages.update(item, '# Changed', { ownerToken: 'kept-in-a-file-1' });
  await expect(anybody.stats({ ownerToken: 'kept-in\n-a-file-1' })).rejects.toThrow(
    'X-Owner-Token has a control',
  );
});

test('a password that would protect nothing is refused, and nothing is created', async () => {
  const { ownerToken } = await anybody.createOwnerToken();
  const owner = new Perch({ url, ownerToken });
  for (const password of ['', ' ', 'sesame ']) {
    const creates = [
      () => owner.pages.create('x', { password }),
      () => owner.json.create(1, { password }),
      () => owner.kv.create('key', 1, { password }),
      () => owner.files.create('x', { password, filename: 'a.txt' }),
      () => owner.sites.create([{ path: 'index.html', content: 'x' }], { password }),
    ];
    for (const create of creates) await expect(create()).rejects.toThrow(TypeError);
  }
  expect((await owner.items()).total).toBe(0);
});
