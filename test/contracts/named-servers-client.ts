import { createInterface } from 'node:readline';
import pino from 'pino';
import { createS3BlobStore, type S3BlobStoreOptions } from '../../shared/adapters/blob/s3.ts';
import { createNatsBus } from '../../shared/adapters/bus/nats.ts';
import { createRedisCache } from '../../shared/adapters/cache/redis.ts';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { createNatsEventStream } from '../../shared/adapters/events/nats.ts';
import { newBlobKey } from '../../shared/ids.ts';

/** Where the servers are, by name, and the S3 bucket. */
export interface NamedServers {
  natsUrl: string;
  redisUrl: string;
  pgUrl: string;
  s3: S3BlobStoreOptions;
}

/** The uses of the servers, each by a connection of its own. */
export const USES = ['bus', 'events', 'cache', 'database', 'blobs'] as const;
export type Use = (typeof USES)[number];

/**
 * Connects every adapter to its server. For each line on standard input, which is one of `USES`, it uses that adapter
 * once and writes a line: `ok`, or what went wrong. Ends with its input.
 */
async function answerUses({ natsUrl, redisUrl, pgUrl, s3 }: NamedServers): Promise<void> {
  const log = pino({ level: 'silent' });
  const connect = (name: string) => createNatsBus({ url: natsUrl, name, minPayloadBytes: 1_048_576, log });
  const [requester, member, cache, blobs] = await Promise.all([
    connect('requester'),
    connect('member'),
    createRedisCache({ url: redisUrl, log }),
    createS3BlobStore(s3),
  ]);
  const events = createNatsEventStream({ url: natsUrl, name: 'events', stream: 'named-servers', log });
  const sql = openDatabase(pgUrl, { log, maxConnections: 2, statementTimeoutMs: 5_000 });
  const bytes = new TextEncoder().encode('hello');
  await member.serve('named-servers.echo', 'members', async (payload) => payload);

  const uses: Record<Use, () => Promise<unknown>> = {
    bus: () => requester.request('named-servers.echo', bytes, { timeoutMs: 1_000 }),
    events: () => events.publish(crypto.randomUUID(), bytes),
    cache: () => cache.check(),
    database: async () => await sql`select 1`,
    blobs: () => blobs.put(newBlobKey(), bytes),
  };
  for await (const use of createInterface({ input: process.stdin })) {
    const outcome = await uses[use as Use]().then(
      () => 'ok',
      (error: unknown) => String(error),
    );
    process.stdout.write(`${outcome.replaceAll('\n', ' ')}\n`);
  }
}

if (import.meta.main) {
  await answerUses(JSON.parse(process.argv[2] ?? '{}') as NamedServers);
  process.exit(0);
}
