import { writeSync } from 'node:fs';
import { Redis } from 'ioredis';
import { newRequestId } from '../../../shared/ids.ts';
import { turns } from '../../../shared/turns.ts';

// The floor of a read of a page: one process with the bytes and the headers of Perch's own answer, four of which it sets anew for each
// request. Arguments: port, address of the page in Perch, address of Redis.
const [port = '', page = '', redisUrl = ''] = process.argv.slice(2);

/** Counts a view and a read of a client. */
const COUNT = `
local views = redis.call('INCRBY', KEYS[1], ARGV[1])
local hits = redis.call('INCRBY', KEYS[2], ARGV[1])
local left = redis.call('PTTL', KEYS[2])
if left < 0 then
  left = 60000
  redis.call('PEXPIRE', KEYS[2], left)
end
return {views, hits, left}`;

type Counted = [views: number, hits: number, leftMs: number];

const redis = new Redis(redisUrl, {
  commandTimeout: 500,
  scripts: { count: { lua: COUNT, numberOfKeys: 2 } },
}) as Redis & { count(...args: Array<string | number>): Promise<Counted> };

const answered = await fetch(page, { headers: { 'User-Agent': 'bench', 'Accept-Encoding': 'identity' } });
const body = new Blob([await answered.arrayBuffer()]);
const headers = new Headers(answered.headers);
for (const name of ['Content-Length', 'Date', 'Connection']) headers.delete(name);
const { pathname } = new URL(page);
const known = new Map([[`http://127.0.0.1:${port}${pathname}`, headers]]);

interface Read {
  headers: Headers;
  clientIp: string;
  userAgent: string | null;
  startedAt: number;
  resolve(response: Response): void;
}

/** Characters of a block of the log, and entries of a batch. */
const [BLOCK, BATCH] = [16_384, 2_000];

let block = '';
let batch: Array<[id: string, durationMs: number]> = [];

function log(id: string, { clientIp, userAgent, startedAt }: Read, now: number): void {
  const durationMs = Math.round((now - startedAt) * 100) / 100;
  block += `{"level":30,"time":"${Date.now()}","requestId":"${id}","http":{"clientIp":"${clientIp}","userAgent":"${userAgent}","path":"${pathname}"},"durationMs":${durationMs}}\n`;
  if (block.length >= BLOCK) {
    writeSync(1, block);
    block = '';
  }
  batch.push([id, durationMs]);
  if (batch.length === BATCH) {
    encoder.encode(JSON.stringify(batch));
    batch = [];
  }
}

const encoder = new TextEncoder();

function answerAll(reads: readonly Read[], [views, hits, leftMs]: Counted): void {
  const now = performance.now();
  for (const [place, read] of reads.entries()) {
    const behind = reads.length - 1 - place;
    const id = newRequestId();
    read.headers.set('X-Views', String(views - behind));
    read.headers.set('X-Request-Id', id);
    read.headers.set('RateLimit-Remaining', String(1_000_000_000 - hits + behind));
    read.headers.set('RateLimit-Reset', String(Math.ceil(leftMs / 1_000)));
    read.resolve(new Response(body, { headers: read.headers }));
    log(id, read, now);
  }
}

let waiting: Read[] = [];
let isSettling = false;

const count = async (): Promise<[Read[], Counted]> => {
  const reads = waiting;
  waiting = [];
  return [reads, await redis.count('bare:views', 'bare:window', reads.length)];
};

/** As the fast path of Perch: the next round trip leaves before the reads of the last one are answered. */
async function settleAll(): Promise<void> {
  isSettling = true;
  while (waiting.length > 0) {
    for (let counting: ReturnType<typeof count> | null = count(); counting !== null; ) {
      const counted: [Read[], Counted] = await counting;
      counting = waiting.length > 0 ? count() : null;
      await turns(1);
      answerAll(...counted);
    }
    await turns(3);
  }
  isSettling = false;
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  fetch(request, server) {
    const found = known.get(request.url);
    if (found === undefined) return new Response('ready');
    if (waiting.length === 0 && !isSettling) setImmediate(() => void settleAll());
    return new Promise<Response>((resolve) => {
      waiting.push({
        headers: found,
        clientIp: server.requestIP(request)?.address ?? '',
        userAgent: request.headers.get('user-agent'),
        startedAt: performance.now(),
        resolve,
      });
    });
  },
});
