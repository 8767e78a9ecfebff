import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from '../servers/answers.ts';
import { commandPath } from '../servers/debian.ts';
import { freePort } from '../servers/port.ts';
import { createChildServer, type Server } from '../servers/server.ts';
import { startBareReads } from './bare-chain/start.ts';
import { VALUE } from './kv-write.ts';
import {
  assertServes,
  type Contender,
  compareLoads,
  failures,
  HEADING,
  p99,
  perSecond,
  ROUNDS,
  ratioOf,
  requests,
  rowOf,
  runRounds,
  settledViews,
  sum,
  viewsExact,
  warmUp,
} from './load-rounds.ts';
import { atLeast, atMost, type Bench, count, type Findings, ratio } from './measurement.ts';
import { startNginxOfFiles } from './nginx.ts';
import { PAGE_BYTES, pageBytes } from './pages.ts';
import { ask, publish, startPerch } from './perch.ts';

const CONNECTIONS = 64;

/** GET of one 10 KB page from one gateway process, against the same bytes from nginx with one worker. */
export async function hotPage(bench: Bench): Promise<Findings> {
  const bytes = pageBytes(0);
  const nginx = await startNginxOfFiles(`${bench.dir}/nginx`, { 'page.html': bytes });
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const publishPage = async (): Promise<string> => {
    const { namespace, id } = await publish(perch.url, bytes);
    return `${perch.url}/${namespace}/${id}`;
  };
  const page = await publishPage();
  const contenders: Contender[] = [
    { name: 'Perch', url: page, loads: [] },
    { name: 'Perch, zstd', url: await publishPage(), coding: 'zstd', loads: [] },
    { name: 'nginx', url: `${nginx.loggingUrl}/page.html`, loads: [] },
    { name: 'bare server', url: (await startBareReads(bench, page, perch)).url, loads: [] },
    { name: 'nginx, no log', url: `${nginx.silentUrl}/page.html`, loads: [] },
  ];
  for (const { url } of contenders) await assertServes(url, bytes);

  await warmUp(bench, contenders, CONNECTIONS);
  const before = await settledViews(page);
  await runRounds(bench, contenders, CONNECTIONS);
  const counted = (await settledViews(page)) - before - 1;

  const [own, compressed, reference] = contenders;
  if (own === undefined || compressed === undefined || reference === undefined)
    throw new Error('nothing measured');
  return {
    table: [HEADING, ...contenders.map((contender) => rowOf(contender, reference))],
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, ${PAGE_BYTES} bytes a page; medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: distributed mode, one gateway process; view counter and read limit in Redis, request log to a file and metrics on. Redis runs on the same machine.',
      'Perch, zstd: another such page, asked for in that coding.',
      'bare server: the floor of the design (infra/bench/bare-chain/reads.ts).',
      'nginx: one worker, sendfile, keep-alive, with and without an access log; the ratios are to the one with a log.',
    ],
    verdicts: [
      atLeast("requests per second, to nginx's", ratioOf(own, reference, perSecond), 0.5, ratio),
      atMost("p99, to nginx's", ratioOf(own, reference, p99), 2.5, ratio),
      atLeast(
        "requests per second with zstd, to the plain page's",
        ratioOf(compressed, own, perSecond),
        1,
        ratio,
      ),
      // wrk drops what is still on its way when a round ends.
      viewsExact(counted, sum(own, requests), ROUNDS * CONNECTIONS),
      atMost(
        'answers of Perch other than 2xx, and socket errors',
        sum(own, failures) + sum(compressed, failures),
        0,
        count,
      ),
    ],
  };
}

const FILE_BYTES = 1_048_576;

/** GET of one file of 1 MB from one gateway process, against the same bytes from nginx with one worker. */
export async function fileRead(bench: Bench): Promise<Findings> {
  const bytes = Buffer.from('0123456789abcde\n'.repeat(FILE_BYTES / 16));
  const nginx = await startNginxOfFiles(`${bench.dir}/nginx`, { 'file.txt': bytes });
  bench.defer(nginx.stop);
  const perch = await startPerch(bench);
  const form = new FormData();
  form.set('file', new File([bytes], 'file.txt'));
  const { url = '' } = await ask(`${perch.url}/api/files`, { method: 'POST', body: form });

  const { table, perSecond, failed } = await compareLoads(bench, {
    own: { name: 'Perch', url },
    reference: { name: 'nginx', url: `${nginx.loggingUrl}/file.txt` },
    bytes,
    connections: CONNECTIONS,
  });
  return {
    table,
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, a file of 1 MB: requests/s are MB/s; medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: the short URL of a file, from the memory of one gateway process, the counter and the limit in Redis.',
      'nginx: one worker, sendfile, keep-alive, an access log.',
    ],
    verdicts: [
      atLeast("MB per second, to nginx's", perSecond, 0.7, ratio),
      atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count),
    ],
  };
}

/** GET of one key's value of 1 KB from one gateway process, against webdis in front of the same Redis. */
export async function kvRead(bench: Bench): Promise<Findings> {
  const { url, servers } = await startPerch(bench);
  const redisUrl = servers.env.REDIS_URL ?? '';
  const webdis = await startWebdis(`${bench.dir}/webdis`, redisUrl);
  bench.defer(webdis.stop);
  const redis = new Bun.RedisClient(redisUrl);
  await redis.set('bench', VALUE);
  redis.close();
  const { link = '' } = await ask(`${url}/api/kv`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ key: 'bench', value: VALUE }),
  });

  const { table, perSecond, failed } = await compareLoads(bench, {
    own: { name: 'Perch', url: link },
    reference: { name: 'webdis', url: `${webdis.url}/GET/bench.txt` },
    bytes: Buffer.from(VALUE),
    connections: CONNECTIONS,
  });
  return {
    table,
    notes: [
      `${CONNECTIONS} connections kept alive, wrk with one thread, a value of ${VALUE.length} bytes; medians of ${ROUNDS} alternating rounds of ${bench.seconds} s after a warm-up, ratios those of one round.`,
      'Perch: the short URL of a key; item record, value, view counter and read limit from Redis in one round trip, log and metrics on. One gateway process.',
      'webdis: GET /GET/key.txt, one thread, no log. The same Redis serves both.',
    ],
    verdicts: [
      atLeast("requests per second, to webdis's", perSecond, 0.8, ratio),
      atMost('answers of Perch other than 2xx, and socket errors', failed, 0, count),
    ],
  };
}

interface Webdis extends Server {
  /** Without a slash at the end. */
  url: string;
}

/** webdis, an HTTP front of Redis, with one thread, on loopback. */
async function startWebdis(dir: string, redisUrl: string): Promise<Webdis> {
  const port = await freePort();
  await mkdir(dir, { recursive: true });
  const configFile = join(dir, 'webdis.json');
  const settings = {
    redis_host: '127.0.0.1',
    redis_port: Number(new URL(redisUrl).port),
    http_host: '127.0.0.1',
    http_port: port,
    threads: 1,
    pool_size: 20,
    daemonize: false,
    verbosity: 0,
    logfile: join(dir, 'webdis.log'),
  };
  await writeFile(configFile, JSON.stringify(settings));
  const server = createChildServer({
    name: 'webdis',
    port,
    command: [commandPath('webdis'), configFile],
    workingDirectory: dir,
    logFile: join(dir, 'output.log'),
    isReady: async () => (await tcpAnswer(port, 'GET /PING HTTP/1.0\r\n\r\n')) !== null,
  });
  await server.start();
  return { ...server, url: `http://127.0.0.1:${port}` };
}
