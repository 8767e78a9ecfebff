import { createHash } from 'node:crypto';
import pino from 'pino';
import postgres from 'postgres';
import { createDiskBlobStore } from '../../../shared/adapters/blob/disk/store.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { newBlobFolder, newBlobKey } from '../../../shared/ids.ts';
import { createBusyKeys, createGroupCommit, type WaitingWrite } from '../../../shared/items/group-commit.ts';

const log = pino({ level: 'silent' });

// The floor of a create into a folder: one process that takes a page by HTTP, puts it into the store that Perch uses, and commits a
// row of those that wait together. Arguments: port, folder, address of PostgreSQL. A commit that fails ends it.
const [port = '', dir = '', pgUrl = ''] = process.argv.slice(2);
const blobs = await createDiskBlobStore({ dir, log });
const sql = postgres(pgUrl, { max: 16, onnotice: () => undefined });
await sql`create table if not exists bare_pages (key text primary key, sha256 text not null, size integer not null)`;

interface Row {
  key: string;
  sha256: string;
  size: number;
}

interface Waiting extends WaitingWrite {
  row: Row;
  resolve(): void;
}

const add = createGroupCommit<Waiting>({
  subject: 'bare.create',
  busy: createBusyKeys(),
  async commit(batch) {
    await sql`insert into bare_pages ${sql(batch.map(({ row }) => row))}`;
    for (const { resolve } of batch) resolve();
  },
});

/** Keys in one folder, as those that Perch reserves together. */
const KEYS_TOGETHER = 64;
let made = 0;
let folder = newBlobFolder();
function nextKey(): string {
  made += 1;
  if (made % KEYS_TOGETHER === 0) folder = newBlobFolder();
  return newBlobKey(folder);
}

Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  async fetch(request) {
    if (request.method !== 'POST') return new Response('ready');
    const bytes = await request.bytes();
    const key = nextKey();
    await blobs.put(key, bytes);
    const row = { key, sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length };
    await new Promise<void>((resolve, reject) => {
      add({ name: key, bytes: 128, deadline: steadyNow() + 15_000, row, resolve, reject });
    });
    return Response.json(row, { status: 201 });
  },
});
