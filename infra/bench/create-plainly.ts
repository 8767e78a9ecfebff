import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { Client } from 'minio';
import postgres from 'postgres';
import { type CreateTask, createPages } from './create-load.ts';

/** A process of its own: for each page one put into S3, then one committed insert; nothing else. */
export interface Plainly extends CreateTask {
  pgUrl: string;
  s3: { endpoint: string; accessKey: string; secretKey: string; region: string; bucket: string };
}

const task = JSON.parse(process.argv[2] ?? '') as Plainly;
const { hostname, port } = new URL(task.s3.endpoint);
const agent = new Agent({ keepAlive: true, maxSockets: task.inFlight });
const s3 = new Client({
  endPoint: hostname,
  port: Number(port),
  useSSL: false,
  accessKey: task.s3.accessKey,
  secretKey: task.s3.secretKey,
  region: task.s3.region,
  pathStyle: true,
  transportAgent: agent,
});
const sql = postgres(task.pgUrl, { max: task.inFlight, onnotice: () => undefined });
await sql`
  create table if not exists plain_pages
  (key text primary key, sha256 text not null, size integer not null, created_at timestamptz not null default now())`;

const outcome = await createPages(task, async (bytes, number) => {
  const key = `plain/${number}`;
  await s3.putObject(task.s3.bucket, key, Buffer.from(bytes), bytes.length);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  await sql`insert into plain_pages ${sql({ key, sha256, size: bytes.length })}`;
});
await sql.end({ timeout: 2 });
agent.destroy();
process.stdout.write(JSON.stringify(outcome));
