import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { failureOf, failureReport, failuresIn } from '../failures.ts';

const FAILING = `
import { beforeAll, describe, expect, test } from 'bun:test';
test('passes', () => console.error(['of the one', 'that passes'].join(' ')));
test('compares', () => { console.error('said before'); expect(1).toBe(2); });
describe('group', () => { test('throws [1 of 2]', async () => { throw new Error('boom'); }); });
test('hangs', () => new Promise(() => {}), 30);
`;
const BROKEN = `
import { beforeAll, test } from 'bun:test';
beforeAll(() => { throw new Error('setup broke'); });
test('never runs', () => {});
`;

let folder: string;
let output: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-failures-'));
  await Bun.write(join(folder, 'failing.test.ts'), FAILING);
  await Bun.write(join(folder, 'inner', 'broken.test.ts'), BROKEN);
  const child = Bun.spawn([process.execPath, 'test', '.'], { cwd: folder, stdout: 'ignore', stderr: 'pipe' });
  output = await child.stderr.text();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('finds the tests that failed, their files, and what they printed', () => {
  const failures = failuresIn(output);
  const byName = new Map(failures.map((failure) => [failure.test, failure]));
  expect([...byName.keys()].sort()).toEqual(['(unnamed)', 'compares', 'group > throws [1 of 2]', 'hangs']);
  expect(byName.get('compares')?.file).toBe('failing.test.ts');
  const printed = byName.get('compares')?.lines.join('\n');
  expect(printed).toContain('said before');
  expect(printed).toContain('Received: 1');
  expect(printed).not.toContain('of the one that passes');
  expect(byName.get('group > throws [1 of 2]')?.lines.join('\n')).toContain('boom');
  expect(byName.get('hangs')?.lines.join('\n')).toContain('timed out after 30ms');
  expect(byName.get('(unnamed)')?.file).toBe(join('inner', 'broken.test.ts'));
  expect(byName.get('(unnamed)')?.lines.join('\n')).toContain('setup broke');
});

test('names suite, file and test, and does not repeat what Bun repeats', () => {
  const repeated = `${output}\n3 tests failed:\n(fail) compares [1.00ms]\n`;
  const report = failureReport([
    { name: 'unit', failures: failuresIn(repeated) },
    { name: 'other', failures: [] },
  ]);
  expect(report.match(/── failed: unit · failing\.test\.ts · compares\n/g)).toHaveLength(1);
  expect(report).not.toContain('other');
  expect(failureReport([{ name: 'unit', failures: [] }])).toBe('');
});

test.each([
  { count: 39, dropped: 0 },
  { count: 40, dropped: 0 },
  { count: 41, dropped: 1 },
])('of $count lines it leaves out $dropped', ({ count, dropped }) => {
  const lines = Array.from({ length: count }, (_, index) => `line ${index}`);
  const failure = failureOf('ended with 1', 'tsc', lines.join('\n'));
  const note = dropped === 0 ? [] : [`… ${dropped} lines before`];
  expect(failure.lines).toEqual([...note, ...lines.slice(dropped)]);
});

test.each([
  { count: 30, more: 0 },
  { count: 31, more: 1 },
])('of $count failures it counts $more', ({ count, more }) => {
  const failures = Array.from({ length: count }, (_, index) => failureOf(`test ${index}`, 'x.test.ts', ''));
  const report = failureReport([{ name: 'unit', failures }]);
  expect(report.match(/── failed/g)).toHaveLength(30);
  expect(report.includes('more')).toBe(more > 0);
});

test('cuts lines that are far too long', () => {
  const [line] = failureOf('t', 'f', 'x'.repeat(301)).lines;
  expect(line).toBe(`${'x'.repeat(300)}…`);
});
