import { zipSync } from 'fflate';
import { isRefusal, type Seen, sendCall } from '../load/send.ts';

/** A client that sends one request after another, each of which costs more than it should. */
interface Flood {
  name: string;
  /** Between an answer and its next request, in ms. */
  pauseMs: number;
  /** Statuses it may get, besides 429 and a 503 that says when to try again. */
  allows: readonly number[];
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: RequestInit['body'];
}

/** A client that misbehaves until it is stopped. */
export interface HostileClient {
  name: string;
  /** Answers so far, by status; `no answer` among them. */
  statuses(): ReadonlyMap<string, number>;
  /** Answers that it may not get, each once. */
  wrong(): string[];
  stop(): Promise<void>;
}

const MARKDOWN = { 'Content-Type': 'text/markdown' };
const ZIP = { 'Content-Type': 'application/zip' };

/** Markdown whose parser needs the square of its length. */
const DENSE = '**a* '.repeat(8_192);

/** Every kind of flood. `pagePath` leads to a page. */
export const floodsAt = (pagePath: string): Flood[] => [
  { name: 'reads over the limit', pauseMs: 20, allows: [200], method: 'GET', path: pagePath, headers: {} },
  {
    name: 'documents over the limit',
    pauseMs: 50,
    allows: [201],
    method: 'POST',
    path: '/api/json?ns=hostile',
    headers: { 'Content-Type': 'application/json' },
    body: '{"a":1}',
  },
  {
    name: 'huge headers',
    pauseMs: 200,
    allows: [431],
    method: 'GET',
    path: pagePath,
    headers: { Cookie: `huge=${'x'.repeat(200_000)}` },
  },
  {
    name: 'dense markdown',
    pauseMs: 500,
    allows: [201, 400, 422],
    method: 'POST',
    path: '/api/html?ns=hostile',
    headers: MARKDOWN,
    body: DENSE,
  },
  {
    name: 'ZIP bombs',
    pauseMs: 2_000,
    allows: [400],
    method: 'POST',
    path: '/api/sites?ns=hostile',
    headers: ZIP,
    body: honestBomb(),
  },
  {
    name: 'ZIP bombs that lie',
    pauseMs: 2_000,
    allows: [400],
    method: 'POST',
    path: '/api/sites?ns=hostile',
    headers: ZIP,
    body: lyingBomb(),
  },
];

/** Sends a flood from one address until it is stopped. */
export function startFlood(url: string, flood: Flood, address: string): HostileClient {
  const { name, pauseMs, allows, headers, ...call } = flood;
  const statuses = new Map<string, number>();
  const wrong = new Set<string>();
  const state = { stopped: false };
  const isAllowed = (seen: Seen): boolean =>
    seen.answered && (seen.status === 429 || allows.includes(seen.status) || isRefusal(seen));
  const run = async (): Promise<void> => {
    while (!state.stopped) {
      const own = { ...headers, 'X-Forwarded-For': address };
      const seen = await sendCall(url, { ...call, template: name, headers: own });
      const answer = seen.answered ? `${seen.status}` : 'no answer';
      statuses.set(answer, (statuses.get(answer) ?? 0) + 1);
      if (!isAllowed(seen)) wrong.add(seen.answered ? answer : seen.reason);
      await Bun.sleep(pauseMs);
    }
  };
  const running = run();
  return {
    name,
    statuses: () => statuses,
    wrong: () => [...wrong],
    async stop() {
      state.stopped = true;
      await running;
    },
  };
}

const MB = 1_048_576;
const UNPACKED_BYTES = 60 * MB;
const DECLARED_BYTES = 1_000;

const PAGE = new TextEncoder().encode('<!doctype html><title>Bomb</title>');

/** Where a ZIP says how long an entry is unpacked: in its local header, and in its record of the directory. */
const LENGTHS = [
  { signature: 0x04034b50, at: 22 },
  { signature: 0x02014b50, at: 24 },
];

/** 60 MB of zeros in 60 KB, whose directory says so. */
const honestBomb = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(zipSync({ 'index.html': PAGE, 'bomb.txt': new Uint8Array(UNPACKED_BYTES) }));

/** The bomb with a directory that says it unpacks to a thousand bytes. */
function lyingBomb(): Uint8Array<ArrayBuffer> {
  const bytes = honestBomb();
  const view = new DataView(bytes.buffer);
  for (let start = 0; start < bytes.length - 28; start++)
    for (const { signature, at } of LENGTHS)
      if (view.getUint32(start, true) === signature && view.getUint32(start + at, true) === UNPACKED_BYTES)
        view.setUint32(start + at, DECLARED_BYTES, true);
  return bytes;
}
