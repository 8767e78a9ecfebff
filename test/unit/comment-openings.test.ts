import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { commentsOf } from '../citations.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

/** Made by a tool from the descriptions of the interface document. */
const GENERATED = 'clients/js/src/api.gen.ts';

/** Words without a subject of their own: a hover shows the comment alone, without the line before it. */
const WITHOUT_SUBJECT = /^(?:What|Who|Whoever|The same|Those|Such|So|It)\b/;

test('comments name their subject: none begins with "What", "The same" and the like', async () => {
  const found: string[] = [];
  for (const path of new Glob('{services,shared,infra,clients/*/{src,generate},test}/**/*.ts').scanSync(
    ROOT,
  )) {
    if (path === GENERATED || path.startsWith('services/gateway/')) continue;
    for (const { line, text } of commentsOf(path, await Bun.file(`${ROOT}${path}`).text()))
      if (WITHOUT_SUBJECT.test(text)) found.push(`${path}:${line} ${text}`);
  }
  expect(found).toEqual([]);
});

test.each(['What a page is.', 'The same for a file.', 'Whoever asks.', 'So many at once.', 'It is gone.'])(
  'does not accept: %s',
  (text) => expect(text).toMatch(WITHOUT_SUBJECT),
);

test.each([
  'Whether it is there.',
  'The sameness of two.',
  'Items of a page.',
  'Whole seconds.',
  'Some keys.',
])('accepts: %s', (text) => expect(text).not.toMatch(WITHOUT_SUBJECT));
