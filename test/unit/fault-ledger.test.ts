import { expect, test } from 'bun:test';
import {
  type Change,
  createRegister,
  type Outcome,
  type Register,
  type State,
  settle,
} from '../../infra/load/ledger.ts';

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
  expect(register).toMatchObject({ certain: 'absent', existed: false });
  expect(register.judge('absent')).toBe('right');
  expect(register.judge(1)).toBe('foreign');
});

test('what was acknowledged last is right, and nothing else', () => {
  const register = after([1, 'done'], [2, 'done']);
  expect(register).toMatchObject({ certain: 2, existed: true });
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
    expect(register.certain).toBeNull();
    expect([register.judge(1), register.judge(2), register.judge('absent')]).toEqual([
      'right',
      'right',
      'older',
    ]);
  }
});

test('a write that was refused did not happen', () => {
  const register = after([1, 'done'], ['absent', 'refused'], [2, 'refused']);
  expect(register.certain).toBe(1);
  expect(register.judge(2)).toBe('foreign');
});

test('an unknown write that comes after a later acknowledged one has overtaken it', () => {
  const register = after([1, 'done'], [2, 'unknown'], [3, 'done']);
  expect(register.certain).toBe(3);
  expect([register.judge(2), register.judge(1)]).toEqual(['overtaken', 'older']);
});

test('a write that was answered 5xx may be there, but not after one that was acknowledged later', () => {
  const register = after([1, 'done'], [2, 'failed']);
  expect(register.certain).toBeNull();
  expect([register.judge(1), register.judge(2)]).toEqual(['right', 'right']);
  register.begin(3).outcome = 'done';
  expect([register.judge(3), register.judge(2), register.judge(1)]).toEqual(['right', 'undone', 'older']);
});

test('a write that has no answer yet puts nothing in doubt', () => {
  const register = after([1, 'done'], ['absent', 'open']);
  expect([register.mayBe('present'), register.mayBe('absent')]).toEqual([true, false]);
  const removed = after([1, 'done'], ['absent', 'done'], [2, 'open']);
  expect([removed.mayBe('present'), removed.mayBe('absent')]).toEqual([false, true]);
  const given = after([1, 'done'], ['absent', 'unknown'], ['absent', 'open']);
  expect([given.mayBe('present'), given.mayBe('absent')]).toEqual([true, true]);
});

test('whether something ever was there may be unknown', () => {
  expect(after([1, 'unknown'], ['absent', 'done']).existed).toBeNull();
  expect(after([1, 'refused']).existed).toBe(false);
  expect(after([1, 'done'], ['absent', 'unknown'])).toMatchObject({ existed: true, certain: null });
});

test('a create without an answer may still come, whatever a removal was told', () => {
  for (const outcome of ['unknown', 'failed'] as const) {
    expect(after([1, outcome], ['absent', 'refused'])).toMatchObject({ certain: null, mayCome: true });
  }
  expect(after([1, 'done'], ['absent', 'unknown']).mayCome).toBe(false);
});

test('a read may find what was written while it was on its way', () => {
  const register = after([1, 'done']);
  const judge = register.reading();
  register.begin(2).outcome = 'done';
  expect([judge(1), judge(2), register.judge(1)]).toEqual(['right', 'right', 'older']);
});

test('once a reader was shown a version, no read that is sent after that may find an older one', () => {
  const register = after([1, 'done'], [2, 'unknown']);
  const earlier = register.reading();
  expect(register.reading()(1)).toBe('right');
  expect(register.reading()(2)).toBe('right');
  expect([register.reading()(1), earlier(1)]).toEqual(['older', 'right']);
});

/** A register with version 1, and then `more` after the moment that the database goes back to. */
function withLoss(more: (register: Register) => void): Register {
  const register = after([1, 'done']);
  const before = Date.now() + 1;
  while (Date.now() < before);
  more(register);
  register.loseSince(before);
  return register;
}

test('what a database has lost may be read for a while, but not after what is written then', () => {
  const register = withLoss((lost) => {
    lost.begin(2).outcome = 'done';
  });
  expect(register.certain).toBeNull();
  expect([1, 2, 'absent' as const].map(register.judge)).toEqual(['right', 'right', 'older']);
  register.begin(3).outcome = 'done';
  expect([3, 2, 1].map(register.judge)).toEqual(['right', 'undone', 'older']);
});

test('what a reader was shown of lost data may be gone at the next read', () => {
  const register = withLoss((lost) => {
    lost.begin(2).outcome = 'done';
  });
  expect([register.reading()(2), register.reading()(1)]).toEqual(['right', 'right']);
});

test('a read may find what was there before a loss that came while it was on its way', () => {
  let judge: (found: State) => string = String;
  withLoss((lost) => {
    lost.begin(2).outcome = 'done';
    judge = lost.reading();
  });
  expect([1, 2, 3].map(judge)).toEqual(['right', 'right', 'foreign']);
});

test('in the end what a database has lost is gone, and what was there before is there', () => {
  const register = withLoss((lost) => {
    lost.begin('absent').outcome = 'done';
    lost.begin(2).outcome = 'done';
  });
  register.forgetLost();
  expect(register).toMatchObject({ certain: 1, existed: true });
  expect([1, 2, 'absent' as const].map(register.judge)).toEqual(['right', 'foreign', 'older']);
});

test('a write that is acknowledged only after the loss may be of before or after it', () => {
  for (const sent of ['open', 'done'] as const) {
    const changes: Change[] = [];
    const register = withLoss((lost) => {
      const change = lost.begin(2);
      change.outcome = sent;
      changes.push(change);
    });
    for (const change of changes) settle(change, 'done');
    register.forgetLost();
    expect([1, 2].map(register.judge)).toEqual(['right', 'right']);
  }
});

test('an answer that is worse than the one before says nothing new', () => {
  const outcomes = (
    [
      ['done', 'failed'],
      ['unknown', 'failed'],
      ['failed', 'done'],
      ['unknown', 'refused'],
    ] as const
  ).map(([first, second]) => {
    const change = createRegister().begin(1);
    settle(change, first);
    settle(change, second);
    return change.outcome;
  });
  expect(outcomes).toEqual(['done', 'unknown', 'done', 'refused']);
});
