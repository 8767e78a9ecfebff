import { describe, expect, test } from 'bun:test';
import { readMultipart } from '../../../services/gateway/http/multipart.ts';
import { END, FAULT, field, file, formOf, OPTIONS, part, read, textOf, utf8 } from './request-context.ts';

describe('what a form holds', () => {
  test('files come in their order, fields at the end, repeated ones as arrays', async () => {
    const { files, fields } = await read([
      field('title', utf8('Größe 🐦')),
      part('content-type: text/plain\r\nCONTENT-DISPOSITION: Form-Data; Name=files; FileName=a b.txt', 'one'),
      field('paths', 'a'),
      file('filename="dir/b.bin"', 'two\r\n--\r\n-b\r\n'),
      field('paths', ''),
      field('__proto__', 'own'),
      field('paths', 'c'),
      field('constructor', 'too'),
      part('Content-Disposition: form-data; name="file"\r\nContent-Transfer-Encoding: binary', 'unnamed'),
      END,
    ]);
    expect(files).toEqual([
      { name: 'files', filename: 'a b.txt', contentType: 'text/plain', text: 'one' },
      { name: 'file', filename: 'dir/b.bin', contentType: null, text: 'two\r\n--\r\n-b\r\n' },
      { name: 'file', filename: null, contentType: null, text: 'unnamed' },
    ]);
    expect(Object.entries(fields)).toEqual([
      ['title', 'Größe 🐦'],
      ['paths', ['a', '', 'c']],
      ['__proto__', 'own'],
      ['constructor', 'too'],
    ]);
    expect(Object.hasOwn(fields, '__proto__')).toBe(true);
    expect(fields.toString).toBeUndefined();
  });

  test.each([
    ['an empty form', [END], 0],
    ['only one field', [field('a', ''), END], 1],
    [
      'text before the first boundary, and after the last',
      ['hello\r\n', field('a', 'b'), END, '--b\r\nmore'],
      1,
    ],
    ['nothing after the last boundary', [field('a', 'b'), '--b--'], 1],
  ])('%s', async (_, pieces, count) => {
    const { files, fields } = await read(pieces);
    expect(files).toEqual([]);
    expect(Object.keys(fields)).toHaveLength(count);
  });

  test('lines of the boundary may end in white space', async () => {
    const parts = [field('a', 'b  '), file('filename="c"', ' \t\r\n--B \t'), field('d', ''), END];
    for (const padding of [' ', '\t', ' \t '.repeat(5_000)]) {
      const whole = parts.join('').replaceAll(/^--b(?:--)?/gm, (line) => `${line}${padding}`);
      for (const size of [1, 7, whole.length]) {
        const pieces = whole.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
        const { files, fields } = await read(pieces);
        expect(files).toMatchObject([{ filename: 'c', text: ' \t\r\n--B \t' }]);
        expect(Object.entries(fields)).toEqual([
          ['a', 'b  '],
          ['d', ''],
        ]);
      }
    }
  });

  test.each(["'()+_,-./:=?aZ09", '-', '--', 'x'.repeat(70), 'a b'])('the boundary %j', async (boundary) => {
    const body = `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${boundary}--`;
    for (const pieces of [[body], [...body]]) {
      expect((await read(pieces, `"${boundary}"; charset=utf-8`)).fields).toMatchObject({ a: 'b' });
    }
  });
});

describe('file names', () => {
  test.each([
    ['as curl sends them', `filename="${utf8('naïve 🐦 文件.txt')}"`, 'naïve 🐦 文件.txt'],
    ['as browsers and curl escape them', 'filename="a%22b%0D%0Ac%0d%25.txt"', 'a"b\r\nc\r%25.txt'],
    ['with escaped quotes', String.raw`filename="a\"b\\c.txt"`, String.raw`a"b\c.txt`],
    ['with a backslash that escapes nothing', String.raw`filename="C:\dir\a.txt"`, String.raw`C:\dir\a.txt`],
    ['with folders, which are kept', 'filename="../../a/./b.txt"', '../../a/./b.txt'],
    ['with semicolons and equal signs', 'filename="a;b=c.txt"', 'a;b=c.txt'],
    ['that are empty', 'filename=""', ''],
    ['in the extended form', "filename*=UTF-8''na%C3%AFve%20%22.txt", 'naïve ".txt'],
    ['in the extended form with a language', "filename*=utf-8'en'%F0%9F%90%A6", '🐦'],
    ['in the extended form in Latin 1', "filename*=iso-8859-1''%FC.txt", 'ü.txt'],
    ['in both forms', `filename="plain.txt"; filename*=UTF-8''%E2%82%AC.txt`, '€.txt'],
  ])('%s', async (_, parameters, filename) => {
    const { files } = await read([file(parameters), END]);
    expect(files).toMatchObject([{ name: 'file', filename, text: 'x' }]);
  });
});

describe('whoever reads the files', () => {
  const pieces = [
    file('filename="a"', 'x'.repeat(300_000)),
    field('a', 'b'),
    file('filename="b"', 'two'),
    END,
  ];

  test('may leave them unread, or stop in the middle', async () => {
    for (const most of [0, 1]) {
      const { context } = formOf(pieces.flatMap((piece) => piece.match(/[\s\S]{1,1000}/g) ?? []));
      const names: Array<string | null> = [];
      const fields = await readMultipart(context, OPTIONS, async ({ filename, body }) => {
        names.push(filename);
        let chunks = 0;
        if (most > 0) for await (const _ of body) if (++chunks === most) break;
      });
      expect(names).toEqual(['a', 'b']);
      expect(fields).toMatchObject({ a: 'b' });
    }
  });

  test('gets one at a time, and no more of the body than it asks for', async () => {
    const pieces = Array.from({ length: 2_000 }, () => file('filename="a"', 'x'.repeat(5_000)));
    const { context, taken } = formOf(pieces);
    let read = 0;
    let ahead = 0;
    let underWay = 0;
    const reading = readMultipart(context, { ...OPTIONS, maxFiles: 1_500 }, async (part) => {
      expect(++underWay).toBe(1);
      await Bun.sleep(0);
      read += (await textOf(part.body)).length;
      ahead = Math.max(ahead, taken() - read);
      underWay--;
    });
    await expect(reading).rejects.toMatchObject(FAULT);
    // Headers count as taken, too.
    expect(ahead).toBeLessThan(500_000);
  });

  test('and fails: its error is the answer, and the body is let go', async () => {
    for (const when of ['before', 'midway', 'after']) {
      const form = formOf([...pieces.slice(0, 2), ...Array.from({ length: 100 }, () => field('z', 'z'))]);
      const failing = readMultipart(form.context, OPTIONS, async ({ body }) => {
        if (when === 'before') throw new RangeError(when);
        for await (const _ of body) if (when === 'midway') throw new RangeError(when);
        throw new RangeError(when);
      });
      await expect(failing).rejects.toThrow(new RangeError(when));
      expect(form.wasCancelled()).toBe(true);
    }
  });

  test('gets the error of a body that breaks off, also when it reads slowly', async () => {
    for (const delay of [0, 5]) {
      const { context } = formOf([
        '--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n',
        'x'.repeat(200_000),
      ]);
      let seen: unknown = null;
      const reading = readMultipart(context, OPTIONS, async ({ body }) => {
        await Bun.sleep(delay);
        seen = await textOf(body).catch((error: unknown) => error);
      });
      await expect(reading).rejects.toMatchObject(FAULT);
      expect(seen).toMatchObject(FAULT);
    }
  });
});
