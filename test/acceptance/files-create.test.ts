import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '../hostile/bytes.ts';
import { codePath, jsonOf, servedByPath, shortPath, USER_AGENT } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, type PublishedFile, postFile, postForm, publishFile } from './support/file-client.ts';
import { fieldsOf } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();
const DAY_MS = 86_400_000;

describe('curl -F', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'perch-curl-'));
    await writeFile(join(folder, 'größe 🐦.png'), png());
    await writeFile(join(folder, 'a "quoted"; name.txt'), 'text');
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const curl = async (...args: string[]): Promise<{ status: number; body: string }> => {
    const all = ['curl', '-sS', '-A', USER_AGENT, '-w', '\n%{http_code}', ...args];
    const child = Bun.spawn(all, { cwd: folder, stdout: 'pipe', stderr: 'pipe' });
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect([await child.exited, errors]).toEqual([0, '']);
    const end = output.lastIndexOf('\n');
    return { status: Number(output.slice(end + 1)), body: output.slice(0, end) };
  };

  test('uploads a file, with its parameters as fields', async () => {
    const fields = ['-F', 'tags=One, two', '-F', 'ttl=3 days', '-F', 'title=From curl'];
    const { status, body } = await curl(...fields, '-F', 'file=@größe 🐦.png', `${perch.url}/api/files`);
    expect([status, body]).toEqual([201, expect.any(String)]);
    const file = JSON.parse(body) as PublishedFile;
    expect(file).toMatchObject({
      filename: 'größe 🐦.png',
      contentType: 'image/png',
      tags: ['one', 'two'],
      ttlDays: 3,
      title: 'From curl',
    });
    expect(await (await perch.read(file)).bytes()).toEqual(png());
  });

  test('uploads a name with quotes and semicolons', async () => {
    const { status, body } = await curl(
      ...['-F', 'file=@"a \\"quoted\\"; name.txt"', `${perch.url}/api/files`],
    );
    expect([status, body]).toEqual([201, expect.any(String)]);
    expect((JSON.parse(body) as PublishedFile).filename).toBe('a "quoted"; name.txt');
  });

  test('waits for 100 Continue where it asks for it', async () => {
    await writeFile(join(folder, 'large.txt'), 'x'.repeat(2_000_000));
    const { status, body } = await curl(
      ...['-H', 'Expect: 100-continue', '-F', 'file=@large.txt', `${perch.url}/api/files`],
    );
    expect([status, (JSON.parse(body) as PublishedFile).sizeBytes]).toEqual([201, 2_000_000]);
  });

  test('gets the address alone when it asks for text', async () => {
    const { status, body } = await curl(
      ...['-H', 'Accept: text/plain', '-F', 'file=@large.txt', `${perch.url}/api/files`],
    );
    expect([status, body]).toEqual([201, expect.stringMatching(/^http:\/\/[^\n]+\n$/)]);
    const { status: read, body: bytes } = await curl(body.trim());
    expect([read, bytes.length]).toEqual([200, 2_000_000]);
  });
});

describe('the answer to an upload', () => {
  test('has every field', async () => {
    const response = await postFile(perch, 'notes.md', '# Grüße');
    const file = await jsonOf<PublishedFile>(response, 201);
    const { id, ownerToken, shortUrl, createdAt, expiresAt, title } = file;
    const url = `${perch.url}/public/${id}`;
    expect(file).toEqual({
      namespace: 'public',
      id,
      url,
      shortUrl,
      ownerToken,
      link: url,
      title,
      ownerLink: `${perch.url}/api/files/public/${id}`,
      sizeBytes: 9,
      tags: [],
      ttlDays: 15,
      hasPassword: false,
      createdAt,
      expiresAt,
      filename: 'notes.md',
      contentType: 'text/markdown; charset=utf-8',
      ...servedByPath(perch.url, file),
    } as unknown as PublishedFile);
    expect(id).toMatch(/^[A-Za-z0-9]{10}$/);
    expect(shortUrl.slice(perch.url.length)).toMatch(/^\/s\/[A-Za-z0-9]{7}$/);
    expect(ownerToken).toMatch(/^own_[\w-]{43}$/);
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(15 * DAY_MS);
    expect(response.headers.get('Location')).toBe(url);
    const short = await perch.request(codePath(file));
    expect([short.status, short.headers.get('Location')]).toEqual([302, `${perch.url}${shortPath(file)}`]);
  });

  test('is new for equal bytes: only pages are found again', async () => {
    const first = await publishFile(perch, 'a.txt', 'same');
    const options = { headers: { 'X-Owner-Token': first.ownerToken } };
    const again = await postFile(perch, 'a.txt', 'same', options);
    expect(again.headers.has('X-Existing-Resource')).toBe(false);
    expect((await jsonOf<PublishedFile>(again, 201)).id).not.toBe(first.id);
  });

  test('is the same again under one Idempotency-Key, also at once', async () => {
    const options = { headers: { 'Idempotency-Key': fresh('one-upload-sent-again') } };
    const files = await atOnce(8, () => publishFile(perch, 'a.txt', 'once', options));
    expect(new Set(files.map(({ id }) => id)).size).toBe(1);
    expect(new Set(files.map(({ ownerToken }) => ownerToken)).size).toBe(1);
    const other = await postFile(perch, 'a.txt', 'another', options);
    await expectError(other, 400, 'VALIDATION_FAILED', 'Idempotency-Key');
  });
});

describe('the parameters', () => {
  const fields = {
    ns: 'from-form',
    id: 'form.id',
    ttl: '2d',
    tags: 'form, Form',
    title: 'Form',
    filename: 'form.txt',
    password: 'form',
  };

  test('may be fields of the form, before the file or after it', async () => {
    for (const place of ['before', 'after']) {
      const parts = fieldsOf({ ...fields, id: `form.${place}` });
      const file = filePart('part.txt', 'x');
      const sent = place === 'before' ? [...parts, file] : [file, ...parts];
      const created = await jsonOf<PublishedFile>(await postForm(perch, sent), 201);
      expect(created).toMatchObject({
        namespace: 'from-form',
        id: `form.${place}`,
        ttlDays: 2,
        tags: ['form'],
        title: 'Form',
        filename: 'form.txt',
        hasPassword: true,
      });
      expect((await perch.read(created, { query: { p: 'form' } })).status).toBe(200);
    }
  });

  test('name a file whose part has no name that would do, where they come before it', async () => {
    const named = (filename: string) => fieldsOf({ ns: 'from-form', filename });
    for (const name of ['blob', 'part.exe', '']) {
      const sent = await postForm(perch, [...named('notes.txt'), filePart(name, 'x')]);
      expect((await jsonOf<PublishedFile>(sent, 201)).filename).toBe('notes.txt');
    }
    const tooLate = await postForm(perch, [filePart('blob', 'x'), ...named('notes.txt')]);
    await expectError(tooLate, 415, 'UNSUPPORTED_MEDIA_TYPE');
    const refused = await postForm(perch, [...named('program.exe'), filePart('notes.txt', 'x')]);
    await expectError(refused, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('of the query and the header win', async () => {
    const query = { ns: 'from-query', id: 'query.id', ttl: 5, tags: 'query', title: 'Q', filename: 'q.md' };
    const headers = { 'X-Password': 'header' };
    const response = await postForm(perch, [...fieldsOf(fields), filePart('part.txt', 'x')], {
      query,
      headers,
    });
    const file = await jsonOf<PublishedFile>(response, 201);
    expect(file).toMatchObject({
      namespace: 'from-query',
      id: 'query.id',
      ttlDays: 5,
      tags: ['query'],
      title: 'Q',
      filename: 'q.md',
      contentType: 'text/markdown; charset=utf-8',
    });
    for (const [password, status] of [
      ['header', 200],
      ['form', 403],
    ] as const)
      expect((await perch.read(file, { query: { p: password } })).status).toBe(status);
  });

  const WRONG: Record<string, [value: string, code: string]> = {
    ttl: ['31', 'TTL_INVALID'],
    ns: ['No', 'NAMESPACE_INVALID'],
    id: ['-x', 'ID_INVALID'],
    title: ['x'.repeat(201), 'VALIDATION_FAILED'],
    tags: ['x'.repeat(51), 'VALIDATION_FAILED'],
    password: ['x'.repeat(201), 'VALIDATION_FAILED'],
  };
  test.each(Object.keys(WRONG))('that are wrong are refused in the form, too: %s', async (name) => {
    const [value = '', code = ''] = WRONG[name] ?? [];
    for (const parts of [
      [...fieldsOf({ [name]: value }), filePart('a.txt', 'x')],
      [filePart('a.txt', 'x'), ...fieldsOf({ [name]: value })],
    ])
      await expectError(await postForm(perch, parts), 400, code);
  });

  test('that nobody knows are passed over, and so is their number up to a point', async () => {
    const extra = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`extra-${n}`, 'x']));
    const parts = [...fieldsOf({ ...extra, constructor: 'x' }), filePart('a.txt', 'x')];
    expect((await postForm(perch, parts)).status).toBe(201);
  });

  test('one address for many at once goes to one of them', async () => {
    const query = { ns: 'contested', id: 'one' };
    const answers = await atOnce(10, (n) => postFile(perch, 'a.txt', `content ${n}`, { query }));
    const won = answers.findIndex(({ status }) => status === 201);
    for (const [n, answer] of answers.entries()) if (n !== won) await expectError(answer, 409, 'ID_TAKEN');
    expect(await (await perch.read({ namespace: 'contested', id: 'one' })).text()).toBe(`content ${won}`);
  });
});
