import { describe, expect, test } from 'bun:test';
import { png } from '../hostile/bytes.ts';
import { jsonOf } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, type PublishedFile, postFile, postForm, publishFile } from './support/file-client.ts';
import type { FormPart } from './support/multipart.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** The name under which an RFC 6266 client saves a download: the extended form (RFC 8187) wins over the plain one. */
function savedAs(response: Response): { kind: string; plain: string; extended: string } {
  const header = response.headers.get('Content-Disposition') ?? '';
  const [, kind = ''] = /^(\w+)/.exec(header) ?? [];
  const [, plain = ''] = /filename="((?:[^"\\]|\\.)*)"/.exec(header) ?? [];
  const [, extended = ''] = /filename\*=UTF-8''([A-Za-z0-9!#$&+.^_`|~%-]*)(?:;|$)/.exec(header) ?? [];
  return { kind, plain, extended: decodeURIComponent(extended) };
}

const NAMES = [
  'plain.txt',
  'two words  and more.txt',
  'Übersicht größe.txt',
  'данные 数据 سند.txt',
  '🐦 birds 👩‍👩‍👧.txt',
  'a "quoted" name.txt',
  "it's 100% (sure) *really*.txt",
  'a;b=c,d&e?f#g.txt',
  '%41%2F%00.txt',
  '..hidden.txt',
  '.dot.txt',
  'a.tar.gz.txt',
  '<b>markup.txt',
  `${'x'.repeat(196)}.txt`,
  `${'🐦'.repeat(196)}.txt`,
];

describe('the original name', () => {
  test.each(NAMES)('is kept: %s', async (name) => {
    const file = await publishFile(perch, name, 'x');
    expect(file.filename).toBe(name);
    const shown = savedAs(await perch.read(file));
    expect(shown).toMatchObject({ kind: 'inline', extended: name });
    const saved = savedAs(await perch.read(file, { query: { dl: true } }));
    expect(saved).toMatchObject({ kind: 'attachment', extended: name });
    expect(saved.plain).toMatch(/^[\x20-\x7e]+$/);
  });

  test('of 201 characters is refused', async () => {
    for (const character of ['x', '🐦'])
      await expectError(
        await postFile(perch, `${character.repeat(197)}.txt`, 'x'),
        400,
        'VALIDATION_FAILED',
        'filename',
      );
  });

  test('loses the folders that some clients put before it', async () => {
    for (const [sent, kept] of [
      ['folder/sub/a.txt', 'a.txt'],
      ['../../etc/a.txt', 'a.txt'],
      ['/etc/a.txt', 'a.txt'],
      ['C:\\fakepath\\a.txt', 'a.txt'],
    ] as const)
      expect((await publishFile(perch, sent, 'x')).filename).toBe(kept);
  });

  test('has no control characters', async () => {
    for (const name of ['a\nb.txt', 'a\rb.txt', 'a\u0001b.txt', 'a\u007fb.txt', 'a\u0085b.txt'])
      await expectError(await postFile(perch, name, 'x'), 400, 'VALIDATION_FAILED', 'filename');
  });

  test('is needed', async () => {
    const parts: FormPart[] = [
      { name: 'file', content: 'x' },
      { name: 'file', content: '', filename: '' },
    ];
    for (const part of parts) await expectError(await postForm(perch, [part]), 400, 'VALIDATION_FAILED');
  });

  test('may come in the extended form, which wins', async () => {
    const part = (disposition: string) => [{ ...filePart('', 'x'), disposition }];
    for (const [disposition, name] of [
      [
        `form-data; name="file"; filename="plain.txt"; filename*=UTF-8''na%C3%AFve%20%F0%9F%90%A6.txt`,
        'naïve 🐦.txt',
      ],
      [`form-data; name=file; filename=bare.txt`, 'bare.txt'],
      [`form-data; filename="first.txt"; name="file"`, 'first.txt'],
      [`form-data; name="file"; filename="a \\"b\\".txt"`, 'a "b".txt'],
      [`form-data; name="file"; filename="a %22b%22.txt"`, 'a "b".txt'],
    ] as const) {
      const file = await jsonOf<PublishedFile>(await postForm(perch, part(disposition)), 201);
      expect(file.filename).toBe(name);
    }
  });

  test('belongs to each of many uploads at once', async () => {
    const files = await atOnce(12, (n) => publishFile(perch, `name ${n}.txt`, 'x'));
    for (const [n, file] of files.entries())
      expect(savedAs(await perch.read(file)).extended).toBe(`name ${n}.txt`);
  });

  test('is the title when none is given', async () => {
    expect((await publishFile(perch, 'holiday.png', png())).title).toBe('holiday.png');
    expect((await publishFile(perch, 'holiday.png', png(), { query: { title: 'Sea' } })).title).toBe('Sea');
  });
});

describe('the parameter filename', () => {
  test('names the file instead, and decides its type', async () => {
    const file = await publishFile(perch, 'part.txt', '# x', { query: { filename: 'größe 🐦.md' } });
    expect(file).toMatchObject({ filename: 'größe 🐦.md', contentType: 'text/markdown; charset=utf-8' });
    expect(savedAs(await perch.read(file)).extended).toBe('größe 🐦.md');
  });

  test('admits what the name of the part would not, and the other way round', async () => {
    const query = { filename: 'a.png' };
    expect((await postFile(perch, 'a.exe', png(), { query })).status).toBe(201);
    const refused = await postFile(perch, 'a.png', png(), { query: { filename: 'a.exe' } });
    await expectError(refused, 415, 'UNSUPPORTED_MEDIA_TYPE');
  });

  test('as a field does the same, before the file or after it', async () => {
    const field = { name: 'filename', content: 'a.txt' };
    const part = filePart('a.md', 'x');
    for (const parts of [
      [field, part],
      [part, field],
    ])
      expect(await jsonOf<PublishedFile>(await postForm(perch, parts), 201)).toMatchObject({
        filename: 'a.txt',
        contentType: 'text/plain; charset=utf-8',
      });
  });

  test('gives a name to a part that has none', async () => {
    const part = { name: 'file', content: 'x' };
    const file = await jsonOf<PublishedFile>(
      await postForm(perch, [part], { query: { filename: 'given.txt' } }),
      201,
    );
    expect(file.filename).toBe('given.txt');
  });

  test('has 1 to 200 characters, no folders and no control characters', async () => {
    const longest = `${'x'.repeat(196)}.txt`;
    expect((await publishFile(perch, 'a.txt', 'x', { query: { filename: longest } })).filename).toBe(longest);
    for (const filename of [`x${longest}`, 'a/b.txt', '/a.txt', 'a\\b.txt', '../a.txt', 'a\nb.txt', '..'])
      await expectError(
        await postFile(perch, 'a.txt', 'x', { query: { filename } }),
        400,
        'VALIDATION_FAILED',
        'filename',
      );
  });
});
