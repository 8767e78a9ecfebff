import type { Socket } from 'bun';
import { atMost, type Bench, type Findings, megabytes, milliseconds } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { memoryOf } from './process-usage.ts';
import { percentile } from './statistics.ts';

const WATCHERS = 5_000;
/** Single writes, each seen by all before the next. */
const WRITES = 30;
/** Then writes without a pause for a while, one after the other. */
const BURST_MS = 5_000;

const MAX_MEMORY = 250 * 1_048_576;
const MAX_LATE_MS = 1_000;

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
    method: 'POST',
    headers,
    body: JSON.stringify({ key: 'n', value: 0 }),
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
      atMost(`memory with ${WATCHERS} streams`, Math.max(open, most), MAX_MEMORY, megabytes),
      atMost('a write seen by all', worst, MAX_LATE_MS, milliseconds),
      atMost('lost streams', watchers.lost, 0, String),
    ],
  };
}

/** Clients that follow a key as events, each over a connection of its own. */
interface Watchers {
  /** Resolves when all have seen the value with this number; how long that took the middle one and the last, in ms. */
  seen(number: number, since: number): Promise<{ middleMs: number; lastMs: number }>;
  /** Counts connections that have ended. */
  readonly lost: number;
  close(): void;
}

/** Clients as the gateway tells them apart, by `X-Forwarded-For`. */
const CLIENTS = 20;

/** Opens so many, and waits until each has the value of now. A value is a number. */
async function openWatchers(url: string, path: string, count: number): Promise<Watchers> {
  const { hostname, port, host } = new URL(url);
  const sockets: Array<Socket<State>> = [];
  /** When each value was seen, by its number. */
  const times = new Map<number, number[]>();
  const waiting = new Map<number, () => void>();
  let lost = 0;
  let begun = 0;
  const allBegun = Promise.withResolvers<void>();

  const see = (number: number): void => {
    const seen = times.get(number) ?? [];
    times.set(number, seen);
    seen.push(performance.now());
    if (seen.length === count) waiting.get(number)?.();
  };
  const open = (n: number): Promise<Socket<State>> =>
    Bun.connect<State>({
      hostname,
      port: Number(port),
      data: { rest: '', isBegun: false },
      socket: {
        open(socket) {
          const head = [
            ...[`GET ${path} HTTP/1.1`, `Host: ${host}`, 'User-Agent: bench', 'Accept: text/event-stream'],
            `X-Forwarded-For: 10.0.0.${n % CLIENTS}`,
          ];
          socket.write(`${head.join('\r\n')}\r\n\r\n`);
        },
        data(socket, bytes) {
          const { data } = socket;
          data.rest += bytes.toString();
          for (const [, number] of data.rest.matchAll(/data: (\d+)\n\n/g)) see(Number(number));
          data.rest = data.rest.slice(data.rest.lastIndexOf('\n\n') + 1);
          if (data.isBegun) return;
          data.isBegun = true;
          begun += 1;
          if (begun === count) allBegun.resolve();
        },
        close() {
          lost += 1;
        },
      },
    });

  const LANES = 50;
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let n = lane; n < count; n += LANES) sockets.push(await open(n));
    }),
  );
  await allBegun.promise;
  return {
    async seen(number, since) {
      if ((times.get(number)?.length ?? 0) < count) {
        const done = Promise.withResolvers<void>();
        waiting.set(number, done.resolve);
        await Promise.race([done.promise, Bun.sleep(30_000)]);
      }
      const seen = (times.get(number) ?? []).map((time) => time - since).toSorted((a, b) => a - b);
      if (seen.length < count) throw new Error(`${count - seen.length} watchers did not see value ${number}`);
      return { middleMs: seen[count >> 1] ?? 0, lastMs: seen.at(-1) ?? 0 };
    },
    get lost() {
      return lost;
    },
    close() {
      for (const socket of sockets) socket.end();
    },
  };
}

interface State {
  rest: string;
  isBegun: boolean;
}
