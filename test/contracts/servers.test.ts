import { afterAll, beforeAll, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Redis } from 'ioredis';
import { Client } from 'minio';
import { connect } from 'nats';
import postgres from 'postgres';
import { type Servers, startServers } from '../../infra/servers/all.ts';
import { isAlive, waitUntilGone } from '../../infra/servers/process-tree.ts';
import type { Server } from '../../infra/servers/server.ts';

const START_LIMIT_MS = 300_000;
const GONE_LIMIT_MS = 20_000;

let folder: string;
let servers: Servers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-servers-'));
  await chmod(folder, 0o711);
  servers = await startServers({ dir: folder });
}, START_LIMIT_MS);

afterAll(async () => {
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
}, START_LIMIT_MS);

function started(server: Server | null): Server {
  if (!server) throw new Error('a server that should have been started was not');
  return server;
}

function setting(name: string): string {
  const value = servers.env[name];
  if (!value) throw new Error(`${name} is not in the servers' environment`);
  return value;
}

async function restart(server: Server): Promise<void> {
  const before = server.processes();
  expect(before.length).toBeGreaterThan(0);
  await server.kill();
  expect(before.filter(isAlive)).toEqual([]);
  await server.start();
}

test(
  'PostgreSQL keeps what it committed over kill -9',
  async () => {
    const write = postgres(setting('PG_URL'), { max: 1 });
    await write`create table kept (value text)`;
    await write`insert into kept values ('committed')`;
    expect(await write`select current_setting('fsync') as fsync`).toMatchObject([{ fsync: 'on' }]);
    await write.end();

    await restart(started(servers.postgres));

    const read = postgres(setting('PG_URL'), { max: 1 });
    expect(await read`select value from kept`).toMatchObject([{ value: 'committed' }]);
    await read.end();
  },
  START_LIMIT_MS,
);

test(
  'Redis keeps its counters over kill -9, and never evicts',
  async () => {
    const write = new Redis(setting('REDIS_URL'));
    expect(await write.incrby('views', 41)).toBe(41);
    expect(await write.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    write.disconnect();

    await restart(started(servers.redis));

    const read = new Redis(setting('REDIS_URL'));
    expect(await read.incr('views')).toBe(42);
    read.disconnect();
  },
  START_LIMIT_MS,
);

test(
  'NATS carries a message of 6 MB, and JetStream keeps a message over kill -9',
  async () => {
    const write = await connect({ servers: setting('NATS_URL') });
    const echo = write.subscribe('echo', { callback: (_error, message) => message.respond(message.data) });
    const large = new Uint8Array(6 * 1024 * 1024).fill(7);
    const reply = await write.request('echo', large, { timeout: 20_000 });
    expect(Bun.hash(reply.data)).toBe(Bun.hash(large));
    echo.unsubscribe();
    const manager = await write.jetstreamManager();
    await manager.streams.add({ name: 'EVENTS', subjects: ['events.>'] });
    await write.jetstream().publish('events.one', 'kept');
    await write.close();

    await restart(started(servers.nats));

    const read = await connect({ servers: setting('NATS_URL') });
    const stored = await (await read.jetstreamManager()).streams.getMessage('EVENTS', { seq: 1 });
    expect(stored.string()).toBe('kept');
    await read.close();
  },
  START_LIMIT_MS,
);

function s3Client(): Client {
  const endpoint = new URL(setting('S3_ENDPOINT'));
  return new Client({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port),
    useSSL: false,
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    region: setting('S3_REGION'),
    partSize: 5 * 1024 * 1024,
  });
}

/** The client cuts parts no smaller than the chunks it is given. */
function chunksOf(bytes: Buffer, size: number): Readable {
  const starts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => index * size);
  return Readable.from(starts.map((start) => bytes.subarray(start, start + size)));
}

async function bytesOf(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test(
  'S3 keeps its objects over kill -9: several parts, ranges across them, removal, listing',
  async () => {
    const bucket = setting('S3_BUCKET');
    const client = s3Client();
    expect(await client.bucketExists(bucket)).toBe(false);
    await client.makeBucket(bucket, setting('S3_REGION'));
    expect(await client.bucketExists(bucket)).toBe(true);

    const large = Buffer.alloc(12_000_000);
    for (let offset = 0; offset < large.length; offset += 4) large.writeUInt32LE(offset, offset);
    const put = await client.putObject(bucket, 'large', chunksOf(large, 1_000_000), large.length);
    expect(put.etag).toMatch(/-[2-9]$/);
    await client.putObject(bucket, 'small', Buffer.from('hello'), 5, { 'Content-Type': 'text/plain' });
    await client.putObject(bucket, 'passing', Buffer.from('soon gone'));

    await restart(started(servers.s3));

    expect(await client.statObject(bucket, 'large')).toMatchObject({ size: large.length });
    expect(Bun.hash(await bytesOf(await client.getObject(bucket, 'large')))).toBe(Bun.hash(large));
    const acrossParts = await client.getPartialObject(bucket, 'large', 5 * 1024 * 1024 - 8, 16);
    expect(await bytesOf(acrossParts)).toEqual(large.subarray(5 * 1024 * 1024 - 8, 5 * 1024 * 1024 + 8));
    expect(await client.statObject(bucket, 'small')).toMatchObject({
      size: 5,
      metaData: { 'content-type': 'text/plain' },
    });

    await client.removeObject(bucket, 'passing');
    const names: string[] = [];
    for await (const { name } of client.listObjectsV2(bucket, '', true)) names.push(name ?? '');
    expect(names).toEqual(['large', 'small']);
    await client.removeObjects(bucket, names);
    await expect(client.statObject(bucket, 'small')).rejects.toMatchObject({ code: 'NotFound' });
  },
  START_LIMIT_MS,
);

test(
  'A paused server answers nothing until it is resumed',
  async () => {
    const redis = new Redis(setting('REDIS_URL'));
    await redis.ping();
    const server = started(servers.redis);
    server.pause();
    let answered = false;
    const answer = redis.ping().then((pong) => {
      answered = true;
      return pong;
    });
    await Bun.sleep(200);
    expect(answered).toBe(false);
    server.resume();
    expect(await answer).toBe('PONG');
    redis.disconnect();
  },
  START_LIMIT_MS,
);

test('A server whose address is given is not started', async () => {
  const given = await startServers({
    dir: join(folder, 'unused'),
    use: {
      PG_URL: 'postgres://db.example',
      REDIS_URL: 'redis://cache.example',
      NATS_URL: 'nats://bus.example',
      S3_ENDPOINT: 'https://s3.example',
      S3_ACCESS_KEY: 'key',
      S3_SECRET_KEY: 'secret',
    },
  });
  expect([given.postgres, given.redis, given.nats, given.s3]).toEqual([null, null, null, null]);
  expect(given.env).toMatchObject({ PG_URL: 'postgres://db.example', S3_REGION: 'us-east-1' });
  await given.stop();
});

test(
  'stop leaves no process behind, and the same servers start again',
  async () => {
    const all = [servers.postgres, servers.redis, servers.nats, servers.s3].map(started);
    const before = all.flatMap((server) => server.processes());
    await servers.stop();
    expect(before.filter(isAlive)).toEqual([]);
    await Promise.all(all.map((server) => server.start()));
    const sql = postgres(setting('PG_URL'), { max: 1 });
    expect(await sql`select value from kept`).toMatchObject([{ value: 'committed' }]);
    await sql.end();
  },
  START_LIMIT_MS,
);

test(
  'SIGKILL to the process that started the servers takes all of them along',
  async () => {
    const module = join(import.meta.dirname, '../../infra/servers/all.ts');
    const script = `
      import { startServers } from ${JSON.stringify(module)};
      const servers = await startServers({ dir: ${JSON.stringify(join(folder, 'orphans'))} });
      const started = [servers.postgres, servers.redis, servers.nats, servers.s3];
      process.stdout.write(JSON.stringify(started.flatMap((server) => server.processes())) + '\\n');
      setInterval(() => {}, 1000);
    `;
    const starter = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
    const { value } = await starter.stdout.getReader().read();
    const pids: number[] = JSON.parse(new TextDecoder().decode(value));
    expect(pids.length).toBeGreaterThanOrEqual(8);
    expect(pids.filter(isAlive)).toEqual(pids);
    starter.kill('SIGKILL');
    await starter.exited;
    expect(await waitUntilGone(pids, GONE_LIMIT_MS)).toEqual([]);
  },
  START_LIMIT_MS,
);

test(
  'a process with nothing else to do stays until the service it stops is gone',
  async () => {
    const module = join(import.meta.dirname, '../../infra/service-process.ts');
    const dir = join(folder, 'last');
    // A service's first thread ends before the others do, and only then can its end be waited for.
    const script = `
      import { startService } from ${JSON.stringify(module)};
      const noServers = { PG_URL: undefined, REDIS_URL: undefined, NATS_URL: undefined, S3_ENDPOINT: undefined };
      const env = { ...noServers, DATA_DIR: ${JSON.stringify(join(dir, 'data'))} };
      const service = await startService('embedded', { dir: ${JSON.stringify(dir)}, env });
      setTimeout(async () => {
        await service.stop();
        process.stdout.write('stopped');
      });
    `;
    const starter = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
    expect(await starter.stdout.text()).toBe('stopped');
    expect(await starter.exited).toBe(0);
  },
  START_LIMIT_MS,
);
