import { expect, test } from 'bun:test';
import { createEventRoom, outgoing as event } from '../../../services/gateway/live/event-room.ts';
import { LiveStream } from '../../../services/gateway/live/live-stream.ts';
import { steadyNow } from '../../../shared/deadline.ts';

function open(room = createEventRoom(), client = '10.0.0.1') {
  const seen = { closed: 0, slow: 0 };
  const live = new LiveStream({
    room,
    client,
    onClose: () => void seen.closed++,
    onSlow: () => void seen.slow++,
  });
  const reader = live.body.getReader();
  const next = async (): Promise<string | null> => {
    const { value, done } = await reader.read();
    return done ? null : new TextDecoder().decode(value);
  };
  return { live, reader, next, seen };
}

test('a reader that reads gets each event, then the last one and the end', async () => {
  const { live, next, seen } = open();
  live.send(event('one'));
  expect(await next()).toBe('one');
  const second = next();
  live.send(event('two'));
  expect(await second).toBe('two');
  live.end(event('last'));
  live.send(event('after the end'));
  expect([await next(), await next(), seen.closed]).toEqual(['last', null, 1]);
});

test('a reader that takes nothing meanwhile gets the latest event only', async () => {
  const { live, next } = open();
  for (let n = 0; n < 100; n++) live.send(event(`${n}`));
  expect(await next()).toBe('99');
});

test('a comment is sent after 15 s, the stream ends after an hour, a reader that stalls is cut off after 30 s', async () => {
  const now = steadyNow();
  const { live, next, seen } = open();
  live.send(event('one'));
  await next();
  const silent = next();
  live.tick(now + 14_000);
  live.tick(now + 15_500);
  expect(await silent).toBe(':\n\n');
  const end = next();
  live.tick(now + 3_600_500);
  expect([await end, seen.closed, seen.slow]).toEqual([null, 1, 0]);

  const stalled = open();
  stalled.live.send(event('one'));
  // Taken out of the stream, but its reader does not come back for more.
  expect(await stalled.next()).toBe('one');
  stalled.live.tick(now + 29_000);
  expect(stalled.seen.closed).toBe(0);
  stalled.live.tick(now + 31_000);
  expect([stalled.seen.closed, stalled.seen.slow]).toEqual([1, 1]);
  await expect(stalled.next()).rejects.toThrow('too slow');
});

test('of a long event a reader has the time of 1 MB a minute besides', async () => {
  const now = steadyNow();
  const { live, next, seen } = open();
  live.send(event('x'.repeat(1_048_576)));
  await next();
  live.tick(now + 89_000);
  expect(seen.closed).toBe(0);
  live.tick(now + 91_000);
  expect(seen).toEqual({ closed: 1, slow: 1 });
});

test('a reader that goes away closes its stream, once', async () => {
  const { live, reader, seen } = open();
  live.send(event('one'));
  await reader.cancel();
  live.send(event('two'));
  live.end();
  live.tick(steadyNow() + 4_000_000);
  expect(seen).toEqual({ closed: 1, slow: 0 });
});

test('no more is sent at once than there is room for; all get theirs in the end', async () => {
  const room = createEventRoom({ sending: 20, held: 1_000 });
  const streams = Array.from({ length: 5 }, () => open(room));
  const shared = event('12345678');
  const reads = streams.map(({ next }) => next());
  for (const { live } of streams) live.send(shared);
  expect(await reads[0]).toBe('12345678');
  // The others wait until the first one comes back for more.
  for (const [index, { next }] of streams.entries()) {
    expect(await reads[index]).toBe('12345678');
    void next();
  }
  expect(shared.heldBy.size).toBe(0);
});

test('one event may be larger than the room, and readers that take nothing are cut off when too much is held', async () => {
  const room = createEventRoom({ sending: 10, held: 60 });
  const large = open(room);
  large.live.send(event('x'.repeat(100)));
  expect((await large.next())?.length).toBe(100);
  // The reader is not back for more: what comes now is held, and too much.
  large.live.send(event('y'.repeat(20)));
  expect(large.seen.closed).toBe(0);
  large.live.send(event('z'.repeat(40)));
  expect(large.seen).toEqual({ closed: 1, slow: 1 });
  expect(room.isFull('10.0.0.1')).toBe(false);
  const next = open(room);
  next.live.send(event('again'));
  expect(await next.next()).toBe('again');
});

test('readers of one client who take nothing leave room to send to another', async () => {
  const room = createEventRoom({ sending: 100, held: 1_000 });
  const stalled = Array.from({ length: 40 }, () => open(room));
  for (const { live, next } of stalled) {
    void next();
    live.send(event('x'.repeat(10)));
  }
  const other = open(room, '10.0.0.2');
  const first = other.next();
  other.live.send(event('other'));
  expect(await first).toBe('other');
  // Behind those who wait, too.
  const second = other.next();
  other.live.send(event('y'.repeat(20)));
  expect(await second).toBe('y'.repeat(20));
});

test('events held for one client are no reason to cut off a reader of another', async () => {
  const room = createEventRoom({ sending: 1_000, held: 100 });
  const greedy = Array.from({ length: 40 }, () => open(room));
  for (const { live, next } of greedy) {
    live.send(event('first'));
    expect(await next()).toBe('first');
    live.send(event('x'.repeat(10)));
  }
  // Half of the room.
  expect(greedy.filter(({ seen }) => seen.slow === 0)).toHaveLength(5);
  const other = open(room, '10.0.0.2');
  other.live.send(event('first'));
  expect(await other.next()).toBe('first');
  other.live.send(event('y'.repeat(20)));
  expect(other.seen).toEqual({ closed: 0, slow: 0 });
  expect(await other.next()).toBe('y'.repeat(20));
});

test('clients of one IPv6 network have one share', () => {
  const room = createEventRoom({ sending: 100, held: 100 });
  const again = (): void => undefined;
  for (let n = 0; n < 5; n++) expect(room.take(`2001:db8:1:${n}::/64`, 10, again)).toBe(true);
  expect(room.take('2001:db8:1:9::/64', 10, again)).toBe(false);
  expect(room.take('2001:db8:2:9::/64', 10, again)).toBe(true);
});

test('an event that many readers of a client wait for is held once', () => {
  const room = createEventRoom({ sending: 100, held: 100 });
  const shared = event('x'.repeat(50));
  for (let n = 0; n < 100; n++) room.hold('10.0.0.1', shared);
  expect(room.isFull('10.0.0.1')).toBe(false);
  const other = event('y');
  room.hold('10.0.0.1', other);
  expect(room.isFull('10.0.0.1')).toBe(true);
  for (let n = 0; n < 100; n++) room.letGo('10.0.0.1', shared);
  room.letGo('10.0.0.1', other);
  expect([room.isFull('10.0.0.1'), shared.heldBy.size]).toEqual([false, 0]);
});
