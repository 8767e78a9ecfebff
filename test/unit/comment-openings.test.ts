import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { commentsOf } from '../citations.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Made by a tool from the descriptions of the interface document. */
const GENERATED = 'clients/js/src/api.gen.ts';

/** Words without a subject of their own: a hover shows the comment alone, without the line before it. */
const WITHOUT_SUBJECT = /(?:^|[.!?:;] )(?:What|Who|Whoever|The same|Those|Such|So|It)\b/;

test('comments name their subject: no sentence begins with "What", "The same" and the like', async () => {
  const found: string[] = [];
  let files = 0;
  // A pattern with a slash within braces matches nothing in Bun.
  const patterns = ['{services,shared,infra,test}/**/*.ts', 'clients/*/{src,generate}/**/*.ts'];
  for (const path of patterns.flatMap((pattern) => [...new Glob(pattern).scanSync(ROOT)])) {
    if (path === GENERATED) continue;
    files += 1;
    for (const { line, text } of commentsOf(path, await Bun.file(`${ROOT}${path}`).text()))
      if (WITHOUT_SUBJECT.test(text)) found.push(`${path}:${line} ${text}`);
  }
  expect(files).toBeGreaterThan(500);
  expect(found).toEqual([]);
});

test.each([
  'What a page is.',
  'The same for a file.',
  'Whoever asks.',
  'So many at once.',
  'It is gone.',
  'A page. It is gone.',
])('does not accept: %s', (text) => expect(text).toMatch(WITHOUT_SUBJECT));

test.each([
  'Whether it is there.',
  'The sameness of two.',
  'Items of a page.',
  'Whole seconds.',
  'Some keys.',
])('accepts: %s', (text) => expect(text).not.toMatch(WITHOUT_SUBJECT));
