import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { Client } from 'minio';
import postgres from 'postgres';
import { type CreateTask, createPages } from './pages.ts';

/** Where the bytes of a page go. */
export type PlainStore =
  | { s3: { endpoint: string; accessKey: string; secretKey: string; region: string; bucket: string } }
  | { dir: string };

/** A process of its own: for each page its bytes are made durable, then one committed insert; nothing else. */
export interface Plainly extends CreateTask {
  pgUrl: string;
  store: PlainStore;
}

const task = JSON.parse(process.argv[2] ?? '') as Plainly;
const agent = new Agent({ keepAlive: true, maxSockets: task.inFlight });
const put = putInto(task.store);
const sql = postgres(task.pgUrl, { max: task.inFlight, onnotice: () => undefined });
await sql`
  create table if not exists plain_pages
  (key text primary key, sha256 text not null, size integer not null, created_at timestamptz not null default now())`;

const outcome = await createPages(task, async (bytes, number) => {
  const key = `plain-${number}`;
  await put(key, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await sql`insert into plain_pages ${sql({ key, sha256, size: bytes.length })}`;
});
await sql.end({ timeout: 2 });
agent.destroy();
process.stdout.write(JSON.stringify(outcome));

function putInto(store: PlainStore): (key: string, bytes: Uint8Array) => Promise<unknown> {
  if ('dir' in store) return (key, bytes) => writeSynced(join(store.dir, key), bytes);
  const { endpoint, accessKey, secretKey, region, bucket } = store.s3;
  const { hostname, port } = new URL(endpoint);
  const client = new Client({
    endPoint: hostname,
    port: Number(port),
    useSSL: false,
    pathStyle: true,
    accessKey,
    secretKey,
    region,
    transportAgent: agent,
  });
  return (key, bytes) => client.putObject(bucket, key, Buffer.from(bytes), bytes.length);
}

/** The bytes reach the disk; that the folder names the file is left to the file system. */
async function writeSynced(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}
