import type { Bench, Findings } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { memoryOf } from './process-memory.ts';
import { percentile } from './statistics.ts';
import { megabytes, milliseconds } from './table.ts';
import { atMost } from './verdicts.ts';
import { openWatchers } from './watchers.ts';

const WATCHERS = 5_000;
/** Single writes, each seen by all before the next. */
const WRITES = 30;
/** Then writes without a pause for a while, one after the other. */
const BURST_MS = 5_000;

const MOST_MEMORY = 250 * 1_048_576;
const MOST_LATE_MS = 1_000;

/** Streams of events on one gateway: its memory, and how long a write takes until all have seen it. */
export async function liveValues(bench: Bench): Promise<Findings> {
  const { url, services } = await startPerch(bench, { LIMIT_WATCHERS_PER_CLIENT: '0', TRUST_PROXY: '1' });
  const pids = services.processes.gateway.flatMap((process) => process.processes());
  const memory = async (): Promise<number> =>
    (await Promise.all(pids.map((pid) => memoryOf(pid))))
      .flat()
      .reduce((sum, { rssBytes }) => sum + rssBytes, 0);
  const headers = { 'Content-Type': 'application/json' };
  const store = await ask(`${url}/api/kv?ns=bench`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ key: 'n', value: 0 }) },
  });
  const path = `/${store.namespace}/${store.id}/n`;
  const put = (value: number) =>
    ask(`${url}/api/kv${path}`, {
      method: 'PUT',
      headers: { ...headers, 'X-Owner-Token': store.ownerToken ?? '' },
      body: JSON.stringify({ value }),
    });

  const before = await memory();
  bench.progress(`opening ${WATCHERS} streams`);
  const watchers = await openWatchers(url, path, WATCHERS);
  bench.defer(async () => watchers.close());
  const open = await memory();
  let number = 0;
  const times: Array<{ middleMs: number; lastMs: number }> = [];
  bench.progress(`${WRITES} writes, each seen by all`);
  while (number < WRITES) {
    number += 1;
    const since = performance.now();
    await put(number);
    times.push(await watchers.seen(number, since));
  }
  bench.progress('writes without a pause');
  const began = performance.now();
  let since = began;
  while (performance.now() - began < BURST_MS) {
    number += 1;
    since = performance.now();
    await put(number);
  }
  const burst = number - WRITES;
  const { lastMs } = await watchers.seen(number, since);
  const most = await memory();
  const last = times.map((time) => time.lastMs);
  const worst = Math.max(...last, lastMs);
  return {
    table: [
      ['', 'figure'],
      ['memory of the gateway before', megabytes(before)],
      [`with ${WATCHERS} streams`, megabytes(open)],
      ['after all writes', megabytes(most)],
      [
        'a write seen by half of them, median',
        milliseconds(
          percentile(
            times.map(({ middleMs }) => middleMs),
            0.5,
          ),
        ),
      ],
      ['by all, median', milliseconds(percentile(last, 0.5))],
      ['by all, worst', milliseconds(Math.max(...last))],
      [`the last of ${burst} writes in ${BURST_MS / 1000} s, by all`, milliseconds(lastMs)],
      ['streams that were lost', String(watchers.lost)],
    ],
    notes: [
      'Counted from the sending of the PUT. The process that holds the client ends of all streams takes its part of the same cores.',
      'RSS of the gateway process.',
    ],
    verdicts: [
      atMost(`memory with ${WATCHERS} streams`, Math.max(open, most), MOST_MEMORY, megabytes),
      atMost('a write seen by all', worst, MOST_LATE_MS, milliseconds),
      atMost('lost streams', watchers.lost, 0, String),
    ],
  };
}
