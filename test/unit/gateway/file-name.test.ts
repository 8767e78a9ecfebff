import { expect, test } from 'bun:test';
import { collectFaults } from '../../../services/gateway/http/validation-issues.ts';
import { filenameOf, filenameOfPart } from '../../../services/gateway/kinds/files/upload-name.ts';

test.each([
  ['a.png', 'a.png'],
  [' a.png ', 'a.png'],
  ['写真 🐦.png', '写真 🐦.png'],
  ['..a', '..a'],
  ['', null],
  ['  ', null],
  [null, null],
])('%p is the name %p', (raw, name) => {
  const faults = collectFaults();
  expect(filenameOf(raw, faults)).toBe(name);
  expect(filenameOfPart(raw, faults)).toBe(name);
  faults.throwIfAny();
});

test.each(['..', '.', 'a\0.png', 'a\n.png', 'a\u202egnp', 'a\ud800', 'x'.repeat(201)])(
  '%p is no name',
  (raw) => {
    const faults = collectFaults();
    expect(filenameOf(raw, faults)).toBeNull();
    expect(() => faults.throwIfAny()).toThrow('filename');
  },
);

test.each(['dir/a.png', '/a.png', 'C:\\a.png', '../a.png'])('%p is a name with a path', (raw) => {
  const faults = collectFaults();
  expect(filenameOfPart(raw, faults)).toBe('a.png');
  faults.throwIfAny();
  expect(filenameOf(raw, faults)).toBeNull();
  expect(() => faults.throwIfAny()).toThrow('filename');
});
