import { expect, test } from 'bun:test';
import { collectIssues } from '../../../services/gateway/http/validation-issues.ts';
import { filenameOf, filenameOfPart } from '../../../services/gateway/kinds/files/input.ts';

test.each([
  ['a.png', 'a.png'],
  [' a.png ', 'a.png'],
  ['写真 🐦.png', '写真 🐦.png'],
  ['..a', '..a'],
  ['', null],
  ['  ', null],
  [null, null],
])('%p is the name %p', (raw, name) => {
  const issues = collectIssues();
  expect(filenameOf(raw, issues)).toBe(name);
  expect(filenameOfPart(raw, issues)).toBe(name);
  issues.throwIfAny();
});

test.each(['..', '.', 'a\0.png', 'a\n.png', 'a\u202egnp', 'a\ud800', 'x'.repeat(201)])(
  '%p is no name',
  (raw) => {
    const issues = collectIssues();
    expect(filenameOf(raw, issues)).toBeNull();
    expect(() => issues.throwIfAny()).toThrow('filename');
  },
);

test.each(['dir/a.png', '/a.png', 'C:\\a.png', '../a.png'])('%p is a name with a path', (raw) => {
  const issues = collectIssues();
  expect(filenameOfPart(raw, issues)).toBe('a.png');
  issues.throwIfAny();
  expect(filenameOf(raw, issues)).toBeNull();
  expect(() => issues.throwIfAny()).toThrow('filename');
});
