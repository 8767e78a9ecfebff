import { compareLoads, ROUNDS } from './load-rounds.ts';
import type { Bench, Findings } from './measurement.ts';
import { ask, startPerch } from './perch.ts';
import { count, ratio } from './table.ts';
import { atLeast, atMost } from './verdicts.ts';
import { startWebdis } from './webdis.ts';

const CONNECTIONS = 64;
const VALUE = 'A value of one kilobyte. '.repeat(41).slice(0, 1024);

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
