import { expect, test } from 'bun:test';
import pino from 'pino';
import { until } from '../../infra/until.ts';
import type { Batch } from '../../shared/sweep/batch.ts';
import { createPause, type Pause } from '../../shared/sweep/pause.ts';
import { type Pass, type Round, startSweeper } from '../../shared/sweep/sweeper.ts';

const NOTHING: Batch = { done: 0, more: false };
const INTERVAL_MS = 20;

/** A pass that notes its rounds, and does what it is told in each of them; in the end nothing. */
function note(name: string, ...answers: Array<Batch | Error>): { pass: Pass; urgent: boolean[] } {
  const urgent: boolean[] = [];
  const run = async (round: Round): Promise<Batch> => {
    expect(round.intervalMs).toBe(INTERVAL_MS);
    const answer = answers[urgent.push(round.urgent) - 1] ?? NOTHING;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { pass: [name, run], urgent };
}

test('a batch is followed by a rest in proportion, which a call ends without being lost', async () => {
  const WORK_MS = 5;
  const FIRST_OF_SECOND_ROUND = 4;
  const rests: number[] = [];
  const log = pino({ level: 'silent' });
  const urgent: boolean[] = [];
  const pass: Pass = [
    'slow',
    async (round) => {
      const batches = urgent.push(round.urgent);
      if (batches === FIRST_OF_SECOND_ROUND) pause.cutShort();
      await Bun.sleep(WORK_MS);
      return { done: 1, more: batches % 3 !== 0 };
    },
  ];
  let calls = 0;
  const pause: Pause = {
    async wait(ms) {
      rests.push(ms);
      await Bun.sleep(1);
      const wasCalled = calls > 0;
      calls = 0;
      return wasCalled;
    },
    cutShort: () => {
      calls += 1;
    },
    cutShortIn: () => undefined,
  };
  const sweeper = startSweeper([pass], { log, pause, intervalMs: INTERVAL_MS, share: 0.25 });
  await until('three rounds', async () => urgent.length >= 10);
  await sweeper.stop();
  // Before the first round nothing is waited for; two rests are within a round, the interval is behind it.
  const [first, one, two, interval] = rests;
  expect([first, interval]).toEqual([0, INTERVAL_MS]);
  for (const rest of [one, two]) expect(rest).toBeGreaterThanOrEqual(WORK_MS * 3 * 0.8);
  // The second round is called for within, which makes the third one urgent.
  const [yes, no] = [Array(3).fill(true), Array(3).fill(false)];
  expect(urgent.slice(0, 9)).toEqual([...yes, ...no, ...yes]);
});

async function sweep(passes: Pass[], enough: (pause: Pause) => Promise<void>): Promise<void> {
  const pause = createPause();
  const log = pino({ level: 'silent' });
  const sweeper = startSweeper(passes, { log, pause, intervalMs: INTERVAL_MS });
  await enough(pause);
  await sweeper.stop();
}

test('a stop does not wait for a batch that takes too long', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const begun = Promise.withResolvers<void>();
  const endless: Pass = [
    'endless',
    async () => {
      begun.resolve();
      return await new Promise<Batch>(() => undefined);
    },
  ];
  const sweeper = startSweeper([endless], { log, pause: createPause(), intervalMs: INTERVAL_MS });
  await begun.promise;
  await sweeper.stop();
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ pass: 'endless', msg: 'a stop cuts off a sweep' });
});

test('the first round is urgent, those that come with time are not', async () => {
  const { pass, urgent } = note('one');
  await sweep([pass], () => until('three rounds', async () => urgent.length >= 3));
  expect(urgent.slice(0, 3)).toEqual([true, false, false]);
});

test('a round that is called for is urgent', async () => {
  const { pass, urgent } = note('one');
  await sweep([pass], async (pause) => {
    await until('a round of its own', async () => urgent.length >= 2);
    pause.cutShort();
    await until('an urgent one', async () => urgent.slice(2).includes(true));
  });
});

test('so is the next one of a pass that failed or left something, and of no other', async () => {
  const failing = note('failing', NOTHING, new Error('away'));
  const leaving = note('leaving', NOTHING, NOTHING, { ...NOTHING, retry: true });
  const steady = note('steady');
  await sweep([failing.pass, leaving.pass, steady.pass], () =>
    until('five rounds', async () => steady.urgent.length >= 5),
  );
  expect(failing.urgent.slice(0, 5)).toEqual([true, false, true, false, false]);
  expect(leaving.urgent.slice(0, 5)).toEqual([true, false, false, true, false]);
  expect(steady.urgent.slice(0, 5)).toEqual([true, false, false, false, false]);
});
