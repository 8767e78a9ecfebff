import { describe, expect, test } from 'bun:test';
import { gif, pdf, png, zeros } from '../hostile/bytes.ts';
import { CODE_EXTENSIONS, SAMPLES } from '../unit/gateway/file-samples.ts';
import { jsonOf } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, type PublishedFile, postFile, postForm, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { OTHER_BINARIES } from './support/samples.ts';

const perch = sharePerch();

/** Specification 7.2. */
const ADMITTED = [
  ...'html htm md markdown json txt css js jsx mjs ts tsx csv tsv xml yaml yml toml log vtt'.split(' '),
  ...CODE_EXTENSIONS,
  ...'png jpg jpeg gif webp avif svg ico bmp mp3 wav ogg flac m4a aac opus'.split(' '),
  ...'mp4 webm mov m4v ogv pdf zip woff woff2 ttf otf'.split(' '),
];

const extensionOf = (filename: string): string => filename.split('.').at(-1) ?? '';

describe('an extension', () => {
  test('of the list has a sample here', () => {
    const sampled = new Set(SAMPLES.map(([filename]) => extensionOf(filename)));
    expect([...sampled].sort()).toEqual(ADMITTED.toSorted());
  });

  for (const [filename, contentType, , content] of SAMPLES) {
    test(`is admitted and served as ${contentType}: ${filename}`, async () => {
      const file = await publishFile(perch, filename, content);
      expect(file).toMatchObject({ filename, contentType, sizeBytes: content.length });
      const response = await perch.read(file);
      expect(response.headers.get('Content-Type')).toBe(contentType);
      expect(await response.bytes()).toEqual(new Uint8Array(content));
    });
  }

  test('counts in any case', async () => {
    for (const filename of ['PICTURE.PNG', 'Picture.Png', 'NOTES.TXT'])
      expect((await publishFile(perch, filename, filename.endsWith('T') ? 'x' : png())).filename).toBe(
        filename,
      );
  });

  const REFUSED = 'exe dll com bat cmd msi apk jar class cgi asp jsp htaccess docx xlsx';
  const MORE = 'xhtml shtml hta mht svgz swf iso dmg tar gz 7z rar bin dat psd tiff heic mkv avi wmv eml vbs';
  for (const extension of `${REFUSED} ${MORE} pn png2 unknown`.split(' ')) {
    test(`is not admitted whatever the content is: ${extension}`, async () => {
      for (const content of ['text', png()])
        await expectError(await postFile(perch, `file.${extension}`, content), 415, 'UNSUPPORTED_MEDIA_TYPE');
    });
  }

  test('is needed', async () => {
    for (const filename of ['file', '.png', 'file.', 'png', 'a.png/b'])
      await expectError(await postFile(perch, filename, png()), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test("counts, and not the part's own type", async () => {
    const typed = (filename: string, content: string | Uint8Array, type: string) =>
      postForm(perch, [{ ...filePart(filename, content), type }]);
    const picture = await jsonOf<PublishedFile>(await typed('a.png', png(), 'text/html'), 201);
    expect(picture.contentType).toBe('image/png');
    const text = await jsonOf<PublishedFile>(await typed('a.txt', '<p>x', 'text/html'), 201);
    expect(text.contentType).toBe('text/plain; charset=utf-8');
    await expectError(await typed('a.exe', png(), 'image/png'), 415, 'UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('content', () => {
  test('of an admitted binary type is served as what it is', async () => {
    const found: Array<[filename: string, content: Uint8Array, type: string]> = [
      ['picture.png', gif(), 'image/gif'],
      ['film.mp4', png(), 'image/png'],
      ['notes.txt', png(), 'image/png'],
      ['page.html', pdf(), 'application/pdf'],
    ];
    for (const [filename, content, type] of found) {
      const file = await publishFile(perch, filename, content);
      expect([filename, file.contentType]).toEqual([filename, type]);
      expect((await perch.read(file)).headers.get('Content-Type')).toBe(type);
    }
  });

  for (const [name, content] of Object.entries(OTHER_BINARIES)) {
    test(`of another type is rejected: ${name}`, async () => {
      for (const filename of ['a.txt', 'a.png', 'a.zip', 'a.mp4'])
        await expectError(await postFile(perch, filename, content), 422, 'CONTENT_REJECTED');
    });
  }

  test('that is text does not pass for a binary type', async () => {
    for (const extension of ['png', 'mp3', 'mp4', 'pdf', 'zip', 'woff2'])
      await expectError(await postFile(perch, `a.${extension}`, '<p>text'), 422, 'CONTENT_REJECTED');
  });

  test('may be nothing where text may be, and nowhere else', async () => {
    for (const filename of ['empty.txt', 'empty.html']) {
      const file = await publishFile(perch, filename, '');
      expect(file.sizeBytes).toBe(0);
      const response = await perch.read(file);
      expect([response.status, response.headers.get('Content-Length')]).toEqual([200, '0']);
      expect(await response.text()).toBe('');
      const head = await perch.read(file, { method: 'HEAD' });
      expect([head.status, head.headers.get('Content-Length')]).toEqual([200, '0']);
    }
    for (const filename of ['empty.png', 'empty.zip', 'empty.mp4', 'empty.svg'])
      await expectError(await postFile(perch, filename, zeros(0)), 422, 'CONTENT_REJECTED');
  });
});

test('good and bad files at once get the answer each of them deserves', async () => {
  const uploads: Array<[filename: string, content: string | Uint8Array]> = [
    ['a.txt', 'text'],
    ['a.exe', 'MZ'],
    ['a.png', 'text'],
    ['a.png', png()],
  ];
  const answers = await atOnce(40, async (n) => {
    const [filename = '', content = ''] = uploads[n % uploads.length] ?? [];
    const { status } = await postFile(perch, filename, content);
    return `${n % uploads.length}: ${status}`;
  });
  expect(tally(answers)).toEqual({ '0: 201': 10, '1: 415': 10, '2: 422': 10, '3: 201': 10 });
});
