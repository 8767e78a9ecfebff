import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tcpAnswer } from '../servers/answers.ts';
import { commandPath } from '../servers/debian.ts';
import { freePort } from '../servers/port.ts';
import { createChildServer, type Server } from '../servers/server.ts';
import { VALUE } from './kv-write.ts';
import { compareLoads, ROUNDS } from './load-rounds.ts';
import { atLeast, atMost, type Bench, count, type Findings, ratio } from './measurement.ts';
import { ask, startPerch } from './perch.ts';

const CONNECTIONS = 64;

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
      'Perch: the short URL of a key; route, value, view counter and read limit from Redis in one round trip, log and metrics on. One gateway process.',
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
