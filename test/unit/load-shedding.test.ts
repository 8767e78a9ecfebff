import { beforeEach, expect, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import pino from 'pino';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { boundBus } from '../../shared/contracts/bounded-bus.ts';
import { call, failureReply } from '../../shared/contracts/call.ts';
import { defineOperation } from '../../shared/contracts/operation.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { errors } from '../../shared/errors.ts';
import { createLoadShedding } from '../../shared/load-shedding.ts';
import { PerchError } from '../../shared/perch-error.ts';

const work = defineOperation({
  subject: 'service.work',
  input: Type.Object({}),
  reply: Type.Object({}),
  timeoutMs: 5_000,
  retry: false,
});

let said: string[];
const log = pino({}, { write: (line: string) => void said.push(line) });
beforeEach(() => {
  said = [];
});

/** Asks a service of its own for so many operations at once; `release` lets those end that were taken. */
async function ask(times: number, perform: () => Promise<object>, release: () => void = () => undefined) {
  const bus = createInProcessBus({ maxPayloadBytes: 10_000 });
  const bounds = { requests: 100, operations: 2, operationBytes: 10_000 };
  await serve(boundBus(bus, bounds, createLoadShedding(log)), 'service', [handler(work, perform)], log);
  const context = { requestId: 'request', deadline: Date.now() + 5_000 };
  const asked = Array.from({ length: times }, () =>
    call(bus, work, {}, context).catch((error: unknown) => error),
  );
  await asked.at(-1);
  release();
  return (await Promise.all(asked)).filter((outcome) => outcome instanceof PerchError);
}

test('of many refusals a service says one line, none of each; the caller knows them for what they are', async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  const failures = await ask(
    52,
    () => promise,
    () => resolve({}),
  );
  expect(failures).toHaveLength(50);
  expect(failures.every(({ code, isRefusal }) => isRefusal && code === 'UNAVAILABLE')).toBe(true);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('"level":40');
  expect(said[0]).toContain('too much to do at once: work is refused');
});

test('what the work itself refused, as for the database, is not logged again', async () => {
  const [failure] = await ask(1, async () => {
    throw errors.refused('database');
  });
  expect([failure?.isRefusal, failure?.retryAfter]).toEqual([true, 2]);
  expect(said).toEqual([]);
});

test('a failure that is no refusal is logged, and travels as one', async () => {
  const [failure] = await ask(1, async () => {
    throw errors.unavailable('database');
  });
  expect(failure?.isRefusal).toBe(false);
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('operation failed');
});

test('the mark is in refusals only; a reply of a release that has none is no refusal', async () => {
  expect(failureReply(errors.refused('x'))).toMatchObject({ error: { isRefusal: true } });
  const plain = failureReply(errors.unavailable('x'));
  expect(plain.ok ? [] : Object.keys(plain.error)).toEqual(['code', 'message', 'details', 'retryAfter']);
  const bus = createInProcessBus({ maxPayloadBytes: 10_000 });
  await bus.serve(work.subject, 'service', async () => new TextEncoder().encode(JSON.stringify(plain)));
  const context = { requestId: 'request', deadline: Date.now() + 5_000 };
  const failure = await call(bus, work, {}, context).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'UNAVAILABLE', retryAfter: 2, isRefusal: false });
});
