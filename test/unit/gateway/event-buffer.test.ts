import { afterEach, expect, test } from 'bun:test';
import pino from 'pino';
import {
  createEventBuffer,
  EVENT_BUFFER_LIMITS,
  type EventBuffer,
  type EventBufferLimits,
} from '../../../services/gateway/access-log/event-buffer.ts';
import type { EventStream } from '../../../shared/ports/event-stream.ts';
import { until } from '../../faults/waiting.ts';

const log = pino({ level: 'silent' });
/** Few of everything, and time plays no part. */
const LIMITS: EventBufferLimits = {
  batchEvents: 3,
  batchCharacters: 1_000,
  batchMs: 60_000,
  batchesUnderWay: 1,
  bufferedEvents: 10,
  bufferedCharacters: 10_000,
};

interface Attempt {
  id: string;
  events: unknown[];
  succeed(): void;
  fail(): void;
}

const running: EventBuffer<string>[] = [];
const openAttempts: Attempt[] = [];
let ending = false;
afterEach(async () => {
  ending = true;
  for (const attempt of openAttempts.splice(0)) attempt.succeed();
  for (const buffer of running.splice(0)) await buffer.stop();
  ending = false;
});

/** A buffer on a stream whose every attempt the test decides; `answer` decides them all at once. */
function open(limits: Partial<EventBufferLimits> = {}, answer?: 'succeed' | 'fail') {
  const attempts: Attempt[] = [];
  let dropped = 0;
  const stream = {
    async publish(batch: string, bytes: Uint8Array) {
      const answered = Promise.withResolvers<void>();
      const { id, events } = JSON.parse(new TextDecoder().decode(bytes)) as Pick<Attempt, 'id' | 'events'>;
      expect(id).toBe(batch);
      const attempt: Attempt = {
        id,
        events,
        succeed: answered.resolve,
        fail: () => answered.reject(new Error('away')),
      };
      attempts.push(attempt);
      openAttempts.push(attempt);
      if (ending) attempt.succeed();
      else if (answer !== undefined) attempt[answer]();
      await answered.promise;
    },
  } as EventStream;
  const buffer = createEventBuffer<string>({
    stream,
    log,
    limits: { ...LIMITS, ...limits },
    sizeOf: (event) => event.length,
    open() {
      const events: string[] = [];
      return {
        add: (event) => void events.push(event),
        removeFirst: () => void events.shift(),
        encode: (id) => new TextEncoder().encode(`{"id":"${id}","events":[${events.join(',')}]}`),
      };
    },
    onDropped: (count) => {
      dropped += count;
    },
  });
  running.push(buffer);
  return {
    buffer,
    attempts,
    add(count: number, from = 0) {
      for (let n = from; n < from + count; n++) buffer.add(JSON.stringify(n));
    },
    get dropped() {
      return dropped;
    },
  };
}

const eventsOf = (attempts: Attempt[]): unknown[] => attempts.flatMap(({ events }) => events);

test('the limits are as documented', () => {
  expect(EVENT_BUFFER_LIMITS).toEqual({
    batchEvents: 5_000,
    batchCharacters: 524_288,
    batchMs: 200,
    batchesUnderWay: 4,
    bufferedEvents: 50_000,
    bufferedCharacters: 32_000_000,
  });
});

test.each([
  [2, 0],
  [3, 1],
  [4, 1],
  [6, 2],
])('%d events make %d full batches at once', async (count, batches) => {
  const { add, attempts } = open({ batchesUnderWay: 10 });
  add(count);
  expect(attempts.map(({ events }) => events.length)).toEqual(Array(batches).fill(3));
});

test.each([
  [2, 0],
  [3, 1],
  [4, 1],
])('%d characters of 3 make %d full batches', (characters, batches) => {
  const { buffer, attempts } = open({ batchEvents: 10, batchCharacters: 3 });
  for (let n = 0; n < characters; n++) buffer.add('1');
  expect(attempts).toHaveLength(batches);
});

test('what is no full batch leaves after a while', async () => {
  const { add, attempts } = open({ batchMs: 1 }, 'succeed');
  add(2);
  expect(attempts).toHaveLength(0);
  await until('it has left', async () => attempts.length > 0);
  add(1, 2);
  await until('the next has left', async () => attempts.length > 1);
  expect(attempts.map(({ events }) => events)).toEqual([[0, 1], [2]]);
});

test('no more batches under way than allowed; the others follow, in order', async () => {
  const { buffer, add, attempts } = open({ batchesUnderWay: 2 });
  add(9);
  expect(attempts).toHaveLength(2);
  attempts[1]?.succeed();
  await until('the third follows', async () => attempts.length === 3);
  expect(buffer.buffered).toBe(6);
  expect(eventsOf(attempts)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(3);
});

test.each([
  [9, 0],
  [10, 0],
  [11, 1],
  [14, 4],
])('of %d events with room for 10, %d are dropped: the oldest not under way', async (count, lost) => {
  const opened = open();
  opened.add(count);
  expect(opened.dropped).toBe(lost);
  expect(opened.buffer.buffered).toBe(count - lost);
  opened.attempts[0]?.succeed();
  const stopping = opened.buffer.stop();
  await until('all attempts were made', async () => {
    for (const attempt of opened.attempts) attempt.succeed();
    return eventsOf(opened.attempts).length === count - lost;
  });
  await stopping;
  const expected = Array.from({ length: count }, (_, n) => n).toSpliced(3, lost);
  expect(eventsOf(opened.attempts)).toEqual(expected);
  expect(opened.dropped).toBe(lost);
});

test.each([
  [9, 0],
  [10, 0],
  [11, 1],
])('of %d characters with room for 10, %d are dropped', (characters, lost) => {
  const opened = open({ batchEvents: 100, bufferedEvents: 100, bufferedCharacters: 10 });
  for (let n = 0; n < characters; n++) opened.buffer.add('1');
  expect(opened.dropped).toBe(lost);
});

test('one event above all room is dropped, and the next is taken', () => {
  const opened = open({ batchEvents: 100, bufferedCharacters: 10 });
  opened.buffer.add('"'.padEnd(11, 'x'));
  expect([opened.dropped, opened.buffer.buffered]).toEqual([1, 0]);
  opened.add(1);
  expect([opened.dropped, opened.buffer.buffered]).toEqual([1, 1]);
});

test('a batch is tried again under its id, and never gets more events', async () => {
  const { add, attempts, buffer } = open();
  add(3);
  attempts[0]?.fail();
  add(1, 3);
  await until('it is tried again', async () => attempts.length === 2);
  attempts[1]?.fail();
  await until('and again', async () => attempts.length === 3);
  expect(new Set(attempts.map(({ id }) => id)).size).toBe(1);
  expect(attempts.map(({ events }) => events)).toEqual([
    [0, 1, 2],
    [0, 1, 2],
    [0, 1, 2],
  ]);
  attempts[2]?.succeed();
  await until('it is in', async () => buffer.buffered === 1);
});

test('stop sends what is left and waits for it', async () => {
  const { add, attempts, buffer } = open({}, 'succeed');
  add(5);
  await buffer.stop();
  expect(eventsOf(attempts)).toEqual([0, 1, 2, 3, 4]);
  expect(buffer.buffered).toBe(0);
});

test('stop gives up on a stream that stays away, and counts what it gives up', async () => {
  const opened = open({}, 'fail');
  opened.add(5);
  await opened.buffer.stop();
  expect([opened.dropped, opened.buffer.buffered]).toEqual([5, 0]);
  opened.add(1);
  expect([opened.dropped, opened.buffer.buffered]).toEqual([6, 0]);
});
