import { expect, test } from 'bun:test';
import { isDense } from '../../../services/content/render/renderer.ts';

const PROSE =
  'The *quick* brown fox jumps over the [lazy dog](https://a.example/dog), `twice`.\n\n- once\n- again\n';
const TABLE = '| 12.5 | 1,024 | yes |\n';
const BADGE = '[![build](https://badges.example/build.svg)](https://ci.example/project)\n';
const CODE = '```js\nfor (let i = 0; i < 10; i++) sum += a[i] * b[i];\n```\n';

test.each([PROSE, TABLE, BADGE, CODE, '', '# Title', '- item\n'])('%j is not dense', (markdown) => {
  expect(isDense(markdown.repeat(1_000))).toBe(false);
});

test.each(['**a* ', '[a](b) ', '`a` ', '*a* ', '<b>a</b>', '[', '~~a~~ '])('%j is dense', (markdown) => {
  expect(isDense(markdown.repeat(1_000))).toBe(true);
});
