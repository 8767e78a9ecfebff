import { describe, expect, test } from 'bun:test';
import { bytes, png, zeros } from '../hostile/bytes.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, postFile, postForm, publishFile } from './support/file-client.ts';
import { encodeForm, FORM_TYPE } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';
import { FILE_LIMIT, OF_SIZE, VIDEO_LIMIT } from './support/samples.ts';

const perch = sharePerch();

const LIMITS = {
  text: FILE_LIMIT,
  image: FILE_LIMIT,
  pdf: FILE_LIMIT,
  audio: FILE_LIMIT,
  video: VIDEO_LIMIT,
};

const families = Object.keys(LIMITS) as Array<keyof typeof LIMITS>;

describe('the limit', () => {
  for (const family of families) {
    const limit = LIMITS[family];
    test(`of ${family} is ${limit} bytes: one less and all of them are accepted, and served whole`, async () => {
      for (const size of [limit - 1, limit]) {
        const { filename, content } = OF_SIZE[family](size);
        const file = await publishFile(perch, filename, content);
        expect(file.sizeBytes).toBe(size);
        expect(Bun.hash(await (await perch.read(file)).bytes())).toBe(Bun.hash(content));
        const head = await perch.read(file, { method: 'HEAD' });
        expect(head.headers.get('Content-Length')).toBe(String(size));
      }
    });

    test(`of ${family} is ${limit} bytes: one more is refused`, async () => {
      const { filename, content } = OF_SIZE[family](limit + 1);
      await expectError(await postFile(perch, filename, content), 400, 'TOO_LARGE');
    });
  }

  test('is the same without a declared length', async () => {
    const chunked = (size: number) => {
      const { filename, content } = OF_SIZE.image(size);
      const whole = encodeForm([filePart(filename, content)]);
      let sent = 0;
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent >= whole.length) return controller.close();
          controller.enqueue(whole.subarray(sent, sent + 500_000));
          sent += 500_000;
        },
      });
      const headers = { 'Content-Type': FORM_TYPE };
      return perch.request('/api/files', { method: 'POST', body, headers });
    };
    expect((await chunked(FILE_LIMIT)).status).toBe(201);
    await expectError(await chunked(FILE_LIMIT + 1), 400, 'TOO_LARGE');
  });

  test('is that of what the content is, not of what the name says', async () => {
    const picture = bytes(png(), zeros(FILE_LIMIT));
    await expectError(await postFile(perch, 'film.mp4', picture), 400, 'TOO_LARGE');
    const { content } = OF_SIZE.video(FILE_LIMIT + 1);
    await expectError(await postFile(perch, 'picture.png', content), 400, 'TOO_LARGE');
  });

  test('does not count the form', async () => {
    const { filename, content } = OF_SIZE.video(VIDEO_LIMIT);
    const parts = [{ name: 'notes', content: 'n'.repeat(60_000) }, filePart(filename, content)];
    expect((await postForm(perch, parts)).status).toBe(201);
  });

  test('holds for several at once, each with bytes of its own', async () => {
    const files = await atOnce(8, async (n) => {
      const { filename, content } = OF_SIZE.text(FILE_LIMIT);
      content.fill(97 + n);
      return { hash: Bun.hash(content), file: await publishFile(perch, filename, content) };
    });
    for (const { hash, file } of files) expect(Bun.hash(await (await perch.read(file)).bytes())).toBe(hash);
  });
});

test('far too much is refused, and the next upload works', async () => {
  const { filename, content } = OF_SIZE.video(64 * 1_048_576);
  await expectError(await postFile(perch, filename, content), 400, 'TOO_LARGE');
  expect((await publishFile(perch, 'small.txt', 'x')).sizeBytes).toBe(1);
});
