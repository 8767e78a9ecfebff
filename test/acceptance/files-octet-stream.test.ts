import { describe, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { bytes, zeros } from '../hostile/bytes.ts';
import { type Body, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, type PublishedFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { FILE_LIMIT, FILES, NOT_TEXT, OF_SIZE, OTHER_BINARIES, VIDEO_LIMIT } from './support/samples.ts';

const perch = sharePerch();

/** POST /api/html of a body without a type of its own (specification 4.3). */
const post = (body: Body, options: RequestOptions = {}) =>
  perch.post(raw(body, 'application/octet-stream', options));

const TYPES: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  pdf: 'application/pdf',
  zip: 'application/zip',
};

describe('a binary body', () => {
  test.each(Object.keys(TYPES))('becomes a file: %s', async (extension) => {
    const content = FILES[extension] ?? zeros(0);
    const response = await post(content, { query: { tags: 'raw', ttl: 2, ns: 'raw-files' } });
    const file = await jsonOf<PublishedFile>(response, 201);
    const { id } = file;
    expect(file).toMatchObject({
      namespace: 'raw-files',
      tags: ['raw'],
      ttlDays: 2,
      sizeBytes: content.length,
      contentType: TYPES[extension],
      ownerLink: `${perch.url}/api/files/raw-files/${id}`,
    });
    expect(file.filename).toEndWith(`.${extension}`);
    expect(Object.keys(file)).not.toContain('format');
    expect(response.headers.get('Location')).toBe(file.url);
    const view = await perch.read(file);
    expect(view.headers.get('Content-Type')).toBe(TYPES[extension] ?? '');
    expect(await view.bytes()).toEqual(content);
    await expectError(await perch.api(file), 404, 'NOT_FOUND');
    const removed = await perch.request(fileApiPath(file), { method: 'DELETE', ...ownedBy(file) });
    expect(removed.status).toBe(204);
  });

  test('takes a name, a password and an owner like any create', async () => {
    const first = await perch.publish('<p>x');
    const headers = { ...ownedBy(first).headers, 'X-Password': 'right' };
    const response = await post(FILES.png ?? '', { query: { filename: 'größe.png' }, headers });
    const file = await jsonOf<PublishedFile>(response, 201);
    expect(file).toMatchObject({ filename: 'größe.png', hasPassword: true, ownerToken: first.ownerToken });
    await expectError(await perch.read(file), 403, 'PASSWORD_REQUIRED');
    expect((await perch.read(file, { headers: { 'X-Password': 'right' } })).status).toBe(200);
  });

  test('has no use for parameters of pages, and is refused with a wrong one', async () => {
    const png = FILES.png ?? '';
    const taken = await post(png, { query: { format: 'markdown', showTopBar: 'true' } });
    expect(Object.keys(await jsonOf<PublishedFile>(taken, 201))).not.toContain('format');
    for (const query of [{ format: 'markdownx' }, { showTopBar: 'maybe' }]) {
      const body = await expectError(await post(png, { query }), 400, 'VALIDATION_FAILED');
      expect(body.details?.map(({ field }) => field)).toEqual(Object.keys(query));
    }
  });

  test('gets the extension of its content when its name has none that is admitted', async () => {
    const longest = 'x'.repeat(200);
    for (const [filename, stored] of [
      ['photo', 'photo.png'],
      ['photo.bin', 'photo.bin.png'],
      ['.png', '.png.png'],
      ['Photo.PNG', 'Photo.PNG'],
      ['photo.jpg', 'photo.jpg'],
      [longest, `${longest.slice(4)}.png`],
    ] as const) {
      const file = await jsonOf<PublishedFile>(await post(FILES.png ?? '', { query: { filename } }), 201);
      expect(file).toMatchObject({ filename: stored, contentType: 'image/png' });
    }
  });

  test('gets the address alone as text', async () => {
    const response = await post(FILES.png ?? '', { headers: { Accept: 'text/plain' } });
    expect([response.status, await response.text()]).toEqual([201, expect.stringMatching(/^http\S+\n$/)]);
  });

  for (const [name, content] of Object.entries({ ...OTHER_BINARIES, ...NOT_TEXT })) {
    test(`of another type is refused: ${name}`, async () => {
      const response = await post(content);
      const body = await jsonOf<{ code: string }>(response, response.status);
      expect(['415 UNSUPPORTED_MEDIA_TYPE', '422 CONTENT_REJECTED']).toContain(
        `${response.status} ${body.code}`,
      );
    });
  }

  test('of another type is refused whatever it is called', async () => {
    const response = await post(gzipSync('x'.repeat(1_000)), { query: { filename: 'a.png' } });
    expect([415, 422]).toContain(response.status);
  });
});

describe('the limit', () => {
  test('of a film is 20 MB', async () => {
    for (const size of [FILE_LIMIT + 1, VIDEO_LIMIT - 1, VIDEO_LIMIT]) {
      const { content } = OF_SIZE.video(size);
      const file = await jsonOf<PublishedFile>(await post(content), 201);
      expect(file).toMatchObject({ contentType: 'video/mp4', sizeBytes: size });
      expect(Bun.hash(await (await perch.read(file)).bytes())).toBe(Bun.hash(content));
    }
  });

  test('of what is larger than any file may be is that of a page: nobody looks what it is', async () => {
    for (const { content } of [OF_SIZE.video(VIDEO_LIMIT + 1), OF_SIZE.text(VIDEO_LIMIT + 1)])
      await expectError(await post(content), 422, 'TOO_LARGE');
  });

  test('of a picture or a paper is 5 MB', async () => {
    for (const family of ['image', 'pdf'] as const) {
      for (const size of [FILE_LIMIT - 1, FILE_LIMIT])
        expect((await post(OF_SIZE[family](size).content)).status).toBe(201);
      await expectError(await post(OF_SIZE[family](FILE_LIMIT + 1).content), 400, 'TOO_LARGE');
    }
  });

  test('of a text stays that of a page', async () => {
    const page = (size: number) => bytes('<p>', OF_SIZE.text(size - 3).content);
    expect((await post(page(FILE_LIMIT))).status).toBe(201);
    await expectError(await post(page(FILE_LIMIT + 1)), 422, 'TOO_LARGE');
  });
});

test('a text stays a page', async () => {
  for (const [content, format] of [
    ['<h1>Hi', 'HTML'],
    ['# Hi', 'TEXT'],
    ['GIF is a format', 'TEXT'],
    ['PK is how it begins', 'TEXT'],
  ] as const) {
    const page = await jsonOf<Published>(await post(content), 201);
    expect(page.format).toBe(format);
    expect((await perch.read(page)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  }
});

test('a file does not replace a page', async () => {
  const page = await perch.publish('<p>stays');
  const response = await perch.api(page, {
    method: 'PUT',
    ...raw(FILES.png ?? '', 'application/octet-stream', ownedBy(page)),
  });
  expect([415, 422]).toContain(response.status);
  expect(await (await perch.read(page)).text()).toEndWith('<p>stays');
});

test('files and pages at once become what they are', async () => {
  const bodies = [FILES.png ?? '', '<p>page', FILES.zip ?? '', zeros(20)];
  const answers = await atOnce(40, async (n) => {
    const response = await post(bodies[n % bodies.length] ?? '');
    const { contentType, format } = (await response.json()) as Partial<PublishedFile>;
    return `${response.status} ${contentType ?? format}`;
  });
  expect(tally(answers)).toMatchObject({ '201 image/png': 10, '201 HTML': 10, '201 application/zip': 10 });
});
