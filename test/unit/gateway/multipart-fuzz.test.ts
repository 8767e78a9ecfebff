import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { type FilePart, readMultipart } from '../../../services/gateway/http/multipart.ts';
import { END, FAULT, field, file, formOf, OPTIONS, textOf } from './request-context.ts';

type Style = 'at once' | 'slowly' | 'one chunk' | 'not';
const STYLES: Style[] = ['at once', 'slowly', 'one chunk', 'not'];

/** Cuts a body into pieces of the given sizes, in turn, but not into too many. */
function cut(whole: string, sizes: number[]): string[] {
  const pieces: string[] = [];
  const least = Math.ceil(whole.length / 1_000);
  for (let start = 0; start < whole.length; ) {
    const end = start + Math.max(sizes[pieces.length % sizes.length] ?? 1, least);
    pieces.push(whole.slice(start, end));
    start = end;
  }
  return pieces;
}

async function readInStyle(style: Style, { body }: FilePart): Promise<string> {
  if (style === 'slowly') await Bun.sleep(0);
  if (style === 'one chunk') for await (const _ of body) break;
  return style === 'at once' || style === 'slowly' ? await textOf(body) : '';
}

const SIZES = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 });

test('whatever the parts and however they arrive, they come out as they went in', async () => {
  const body = fc.oneof(
    fc.constantFrom('', '\r', '\n', '\r\n', '-', '--', '\r\n--', '\r\n--per', '\r\n-', 'x--perch'),
    fc.string({ unit: 'binary-ascii', maxLength: 50 }),
    fc.integer({ min: 0, max: 50_000 }).map((count) => 'y\r\n-'.repeat(count)),
  );
  const padding = fc.string({ unit: fc.constantFrom(' ', '\t'), maxLength: 3 });
  const sent = fc.array(fc.record({ isFile: fc.boolean(), body, padding }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(sent, SIZES, fc.constantFrom(...STYLES), async (parts, sizes, style) => {
      const whole = parts.map(
        ({ isFile, body, padding }) =>
          `--perch${padding}\r\nContent-Disposition: form-data; name="n"${isFile ? '; filename="f"' : ''}\r\n\r\n${body}\r\n`,
      );
      const { context } = formOf(cut([...whole, '--perch--'].join(''), sizes), 'perch');
      const files: string[] = [];
      const reading = readMultipart(context, OPTIONS, async (part) => {
        files.push(await readInStyle(style, part));
      });
      if (parts.some((one) => !one.isFile && one.body.length > 65_536))
        return await expect(reading).rejects.toMatchObject(FAULT);
      const { n = [] } = await reading;
      const inOrder = (isFile: boolean) =>
        parts.filter((one) => one.isFile === isFile).map((one) => one.body);
      const expected = style === 'one chunk' || style === 'not' ? inOrder(true).map(() => '') : inOrder(true);
      expect(files.map((text) => Bun.hash(text))).toEqual(expected.map((text) => Bun.hash(text)));
      expect([n].flat()).toEqual(inOrder(false));
    }),
    { numRuns: 200 },
  );
}, 60_000);

test('whatever bytes come, reading them ends, with a form or with what is wrong with it', async () => {
  const token = fc.oneof(
    fc.constantFrom('--b', '\r\n--b', '\r\n', '--', '-', '\n', ':', ';', '"', '\\', ' ', '\0', '\xff', 'b'),
    fc.constantFrom(
      'Content-Disposition: form-data; name="file"',
      '; filename="a"',
      '\r\n\r\n',
      END,
      '\r\n--b--',
    ),
    fc.constantFrom(field('a', 'b'), file('filename="a"', 'b'), 'x'.repeat(70_000), '\r\n--'.repeat(20_000)),
    fc.string({ unit: 'binary-ascii', maxLength: 5 }),
  );
  const bytes = fc.array(token, { maxLength: 20 }).map((tokens) => tokens.join(''));
  await fc.assert(
    fc.asyncProperty(bytes, SIZES, fc.constantFrom(...STYLES), async (whole, sizes, style) => {
      const { context } = formOf(cut(whole, sizes));
      const reading = readMultipart(context, OPTIONS, async (part) => {
        await readInStyle(style, part);
      });
      const error = await reading.then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error !== null) expect(error).toMatchObject(FAULT);
    }),
    { numRuns: 1_000 },
  );
}, 60_000);
