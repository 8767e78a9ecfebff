import { expect, test } from 'bun:test';

/** A formal imperative, or a formal pronoun that is no other word's. */
const FORMAL = /\b\p{L}+n Sie\b|\bIhnen\b|\bIhre[mnrs]\b/u;

test.each(['de', 'console.de'])('the German texts of %s.ts call their reader "du"', async (name) => {
  const path = `${import.meta.dir}/../../../services/gateway/web/texts/${name}.ts`;
  const lines = (await Bun.file(path).text()).split('\n');
  expect(lines.filter((line) => FORMAL.test(line))).toEqual([]);
});
