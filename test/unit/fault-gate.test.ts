import { expect, test } from 'bun:test';
import { createGate } from '../../infra/load/traffic.ts';

test('a closed gate waits for the step under way, and lets none begin until it is opened', async () => {
  const gate = createGate();
  const seen: string[] = [];
  const step = Promise.withResolvers<void>();
  const first = gate.pass(async () => {
    await step.promise;
    seen.push('first');
  });
  await Promise.resolve();
  const closed = gate.close();
  const second = gate.pass(async () => void seen.push('second'));
  step.resolve();
  const open = await closed;
  seen.push('closed');
  open();
  await Promise.all([first, second]);
  expect(seen).toEqual(['first', 'closed', 'second']);
});

test('a step that fails does not keep the gate from closing', async () => {
  const gate = createGate();
  await gate.pass(() => Promise.reject(new Error('no'))).catch(() => undefined);
  (await gate.close())();
  let passed = false;
  await gate.pass(async () => {
    passed = true;
  });
  expect(passed).toBe(true);
});
