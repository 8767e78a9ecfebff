import { expect, test } from 'bun:test';
import { createSenderClocks } from '../../shared/contracts/serve.ts';

const START = 1_000_000;

/** A sender whose clock is ahead of the receiver's by so much. */
function senderAhead(aheadMs: number) {
  const clocks = createSenderClocks();
  /** The age that is seen of a message received at `at` that was so long under way. */
  const ageAt = (at: number, tookMs: number): number =>
    Math.round(clocks.ageOf('sender', START + at - tookMs + aheadMs, START + at));
  const settle = (): void => {
    for (let at = 0; at <= 2_000; at += 100) ageAt(at, 1);
  };
  return { ageAt, settle };
}

test.each([0, 8_000, -8_000, 3_600_000, -3_600_000])(
  'of a sender %d ms ahead a message that waited is told from one that did not',
  (ahead) => {
    const { ageAt, settle } = senderAhead(ahead);
    settle();
    expect(ageAt(3_000, 1)).toBe(0);
    expect(ageAt(3_100, 5_001)).toBe(5_000);
    expect(ageAt(3_200, 2)).toBeLessThan(3);
  },
);

test('messages that waited for a receiver are old also when they are its first from that sender', () => {
  const { ageAt } = senderAhead(0);
  expect([9_000, 8_000, 7_000].map((tookMs, n) => ageAt(n, tookMs))).toEqual([9_000, 8_000, 7_000]);
  expect(ageAt(3, 1)).toBe(1);
});

test('a clock that is behind is known for certain after two seconds, one ahead at once', () => {
  const behind = senderAhead(-8_000);
  expect(behind.ageAt(0, 1)).toBe(8_001);
  expect(behind.ageAt(1_900, 1)).toBe(8_001);
  expect(behind.ageAt(2_000, 1)).toBeLessThan(3);
  expect(senderAhead(8_000).ageAt(0, 1)).toBe(0);
});

test('a clock that drifts by half a thousandth is followed', () => {
  const clocks = createSenderClocks();
  for (let at = 0; at < 3_600_000; at += 10_000) {
    expect(clocks.ageOf('sender', START + at * 0.9995, START + at)).toBeLessThan(10);
  }
});

test('a minute in which everything is late shows a clock that was set anew', () => {
  const { ageAt, settle } = senderAhead(0);
  settle();
  let refused = 0;
  for (let at = 3_000; ageAt(at, 30_000) > 1_000; at += 500) refused += 1;
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(130);
});

test('a receiver that was idle has forgotten nothing', () => {
  const { ageAt, settle } = senderAhead(-8_000);
  settle();
  expect(ageAt(3_000, 5_000)).toBeGreaterThan(4_900);
  expect(ageAt(50_000, 1)).toBeLessThan(100);
  expect(ageAt(600_000, 5_000)).toBeGreaterThan(4_000);
});

test('each sender has a clock of its own, and thousands of them take bounded room', () => {
  const clocks = createSenderClocks();
  for (let sender = 0; sender < 5_000; sender++) clocks.ageOf(String(sender), START, START + sender);
  expect(clocks.ageOf('4999', START, START + 5_000)).toBe(5_000);
});
