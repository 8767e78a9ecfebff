import { expect, test } from 'bun:test';
import {
  type Change,
  createRegister,
  type Outcome,
  type Register,
  type State,
} from '../../infra/faults/ledger.ts';

/** A register after some writes, each with what became of it. */
function after(...writes: Array<[State, Outcome]>): Register {
  const register = createRegister();
  for (const [state, outcome] of writes) {
    const change: Change = register.begin(state);
    change.outcome = outcome;
  }
  return register;
}

test('nothing is there before the first write', () => {
  const register = after();
  expect(register).toMatchObject({ standing: 'absent', existed: false });
  expect(register.judge('absent')).toBe('right');
  expect(register.judge(1)).toBe('foreign');
});

test('what was acknowledged last is right, and nothing else', () => {
  const register = after([1, 'done'], [2, 'done']);
  expect(register).toMatchObject({ standing: 2, existed: true });
  expect([register.judge(2), register.judge(1), register.judge('absent'), register.judge(3)]).toEqual([
    'right',
    'older',
    'older',
    'foreign',
  ]);
});

test('of a write without an answer both are right', () => {
  for (const outcome of ['open', 'unknown'] as const) {
    const register = after([1, 'done'], [2, outcome]);
    expect(register.standing).toBeNull();
    expect([register.judge(1), register.judge(2), register.judge('absent')]).toEqual([
      'right',
      'right',
      'older',
    ]);
  }
});

test('a write that was refused did not happen', () => {
  const register = after([1, 'done'], ['absent', 'refused'], [2, 'refused']);
  expect(register.standing).toBe(1);
  expect(register.judge(2)).toBe('foreign');
});

test('an unknown write that comes after a later acknowledged one has overtaken it', () => {
  const register = after([1, 'done'], [2, 'unknown'], [3, 'done']);
  expect(register.standing).toBe(3);
  expect([register.judge(2), register.judge(1)]).toEqual(['overtaken', 'older']);
});

test('a write that was answered 5xx may be there, but not after one that was acknowledged later', () => {
  const register = after([1, 'done'], [2, 'failed']);
  expect(register.standing).toBeNull();
  expect([register.judge(1), register.judge(2)]).toEqual(['right', 'right']);
  register.begin(3).outcome = 'done';
  expect([register.judge(3), register.judge(2), register.judge(1)]).toEqual(['right', 'undone', 'older']);
});

test('a write that has no answer yet puts nothing in doubt', () => {
  const standing = after([1, 'done'], ['absent', 'open']);
  expect([standing.mayBe('present'), standing.mayBe('absent')]).toEqual([true, false]);
  const removed = after([1, 'done'], ['absent', 'done'], [2, 'open']);
  expect([removed.mayBe('present'), removed.mayBe('absent')]).toEqual([false, true]);
  const given = after([1, 'done'], ['absent', 'unknown'], ['absent', 'open']);
  expect([given.mayBe('present'), given.mayBe('absent')]).toEqual([true, true]);
});

test('whether something ever was there may be unknown', () => {
  expect(after([1, 'unknown'], ['absent', 'done']).existed).toBeNull();
  expect(after([1, 'refused']).existed).toBe(false);
  expect(after([1, 'done'], ['absent', 'unknown'])).toMatchObject({ existed: true, standing: null });
});

test('a create without an answer may still come, whatever a removal was told', () => {
  for (const outcome of ['unknown', 'failed'] as const) {
    expect(after([1, outcome], ['absent', 'refused'])).toMatchObject({ standing: null, mayCome: true });
  }
  expect(after([1, 'done'], ['absent', 'unknown']).mayCome).toBe(false);
});

test('a read may find what was written while it was on its way', () => {
  const register = after([1, 'done']);
  const judge = register.reading();
  register.begin(2).outcome = 'done';
  expect([judge(1), judge(2), register.judge(1)]).toEqual(['right', 'right', 'older']);
});
