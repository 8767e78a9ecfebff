import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { highlight } from '../../../services/content/render/highlight.ts';
import { collectIssues } from '../../../services/gateway/http/validation-issues.ts';
import {
  fileLimitFor,
  type IdentifiedFile,
  identifyFile,
} from '../../../services/gateway/kinds/files/identify-file.ts';
import { filenameOfPart } from '../../../services/gateway/kinds/files/input.ts';
import { PerchError } from '../../../shared/perch-error.ts';
import { bytes, png, utf16, zeros } from '../../hostile/bytes.ts';
import { HOSTILE_FILES } from '../../hostile/files.ts';
import { SAMPLES } from './file-samples.ts';

const MB = 1_048_576;

const STATUS_OF: Partial<Record<PerchError['code'], number>> = {
  VALIDATION_FAILED: 400,
  TOO_LARGE: 400,
  UNSUPPORTED_MEDIA_TYPE: 415,
  CONTENT_REJECTED: 422,
};

/** As the gateway takes a file in: its name, then its content. */
async function takeIn(rawName: string, content: Uint8Array): Promise<IdentifiedFile | PerchError> {
  try {
    const issues = collectIssues();
    const filename = filenameOfPart(rawName, issues);
    issues.throwIfAny();
    return await identifyFile(filename ?? '', content);
  } catch (error) {
    if (error instanceof PerchError) return error;
    throw error;
  }
}

const refusal = async (filename: string, content: Uint8Array): Promise<string> => {
  const outcome = await takeIn(filename, content);
  return outcome instanceof PerchError ? outcome.message : 'admitted';
};

const padded = (start: Uint8Array, size: number): Uint8Array => bytes(start, zeros(size - start.length));

describe('hostile files', () => {
  test.each(HOSTILE_FILES.map((file) => [file.name, file] as const))('%s', async (_, file) => {
    const outcome = await takeIn(file.filename, file.bytes);
    const { status, contentType = '' } = file.expected;
    const got = outcome instanceof PerchError ? [STATUS_OF[outcome.code], ''] : [201, outcome.contentType];
    expect(got).toEqual([status, contentType]);
  });

  test('have names of their own and are many', () => {
    expect(new Set(HOSTILE_FILES.map(({ name }) => name)).size).toBe(HOSTILE_FILES.length);
    expect(HOSTILE_FILES.length).toBeGreaterThan(70);
  });
});

describe('a file of each admitted type', () => {
  test.each(SAMPLES)('%s is %s of family %s', async (filename, contentType, family, content) => {
    expect(await takeIn(filename, content)).toMatchObject({ contentType, family });
  });

  test('is text with a language that the highlighter knows or shows by name, or is none', async () => {
    for (const [filename, , family, content] of SAMPLES) {
      const file = await identifyFile(filename, content);
      if (file.language !== null && !['csv', 'tsv'].includes(file.language))
        expect([file.language, highlight('a', file.language)]).not.toEqual([file.language, null]);
      if (family !== 'text') expect(file.language).toBeNull();
    }
  });
});

describe('the limit of a file', () => {
  test.each([
    ['a.png', 5],
    ['a.TXT', 5],
    ['a.mp3', 5],
    ['a.zip', 5],
    ['a.mp4', 20],
    ['a.WebM', 20],
  ])('%s is read up to %d MB', (filename, megabytes) => {
    expect(fileLimitFor(filename)).toBe(megabytes * MB);
  });

  test('is not told of an extension that is not admitted', () => {
    expect(() => fileLimitFor('a.exe')).toThrow('".exe" are not accepted. Send text (html, htm');
    expect(() => fileLimitFor('a')).toThrow('no extension');
  });

  test('is that of its content', async () => {
    expect(await takeIn('a.png', padded(png(), 5 * MB))).toMatchObject({ family: 'image' });
    expect(await takeIn('a.mp4', padded(png(), 5 * MB + 1))).toMatchObject({ code: 'TOO_LARGE' });
    const [, , , film] = SAMPLES.find(([filename]) => filename === 'film.mp4') ?? [];
    const whole = padded(film ?? zeros(0), 20 * MB);
    expect(await takeIn('a.mp4', whole)).toMatchObject({ contentType: 'video/mp4' });
    expect(await takeIn('a.m4a', whole)).toMatchObject({ code: 'TOO_LARGE' });
    expect(await takeIn('a.mp4', bytes(whole, [0]))).toMatchObject({ code: 'TOO_LARGE' });
  });
});

test('a refusal says why', async () => {
  expect(await refusal('a.txt', utf16('x'))).toBe(
    'The content of "a.txt" is UTF-16 text (save it as UTF-8), which is not accepted.',
  );
  expect(await refusal('a.png', zeros(0))).toBe('The content of "a.png" is empty.');
  expect(await refusal('a.png', bytes('x'))).toContain('is text, although its extension says otherwise');
  expect(await refusal('a.png', bytes('#!/bin/sh'))).toContain('is a script with an interpreter line');
  expect(await refusal('a.txt', bytes([0x7f], 'ELF', zeros(9)))).toContain('is an executable program (ELF)');
  expect(await refusal('a.txt', bytes([1, 2, 0xff]))).toContain('is neither UTF-8 text nor of a type');
  expect(await refusal('a.png', bytes('II*\0', [8, 0, 0, 0, 0, 0]))).toContain('is tif (image/tiff)');
});

describe('whatever comes', () => {
  const starts = SAMPLES.map(([, , , content]) => content).concat(HOSTILE_FILES.map((file) => file.bytes));

  test('is admitted or refused, cut off anywhere and with anything behind it', async () => {
    const mutilated = fc
      .tuple(fc.constantFrom(...starts), fc.nat(400), fc.uint8Array({ maxLength: 300 }))
      .map(([start, cut, tail]) => bytes(start.subarray(0, cut), tail));
    const extension = fc.constantFrom('png', 'txt', 'mp4', 'zip', 'svg', 'mp3', 'ttf', 'ogv', 'avif');
    await fc.assert(
      fc.asyncProperty(mutilated, extension, async (content, name) => {
        const outcome = await takeIn(`a.${name}`, content);
        if (outcome instanceof PerchError) expect(outcome.code).toBe('CONTENT_REJECTED');
        else expect(outcome.contentType).not.toBe('');
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['comments', '<!---->'],
    ['document types', '<!DOCTYPE a>'],
    ['open document types', '<!DOCTYPE a ['],
    ['quotes', '<!DOCTYPE "'],
    ['brackets', '<!DOCTYPE a [ ] ] ]'],
    ['instructions', '<?a?>'],
    ['white space', ' \n'],
  ])('an SVG of nothing but %s is read in linear time', async (_, part) => {
    expect(await refusal('a.svg', bytes(part.repeat(300_000)))).toContain('no SVG image');
    expect(await refusal('a.svg', bytes(`<!DOCTYPE ${part.repeat(300_000)}`))).toContain('no SVG image');
  });
});
