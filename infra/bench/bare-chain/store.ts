import { Redis } from 'ioredis';
import { connect } from 'nats';
import postgres from 'postgres';
import { steadyNow } from '../../../shared/deadline.ts';
import { createBusyKeys, createGroupCommit, type WaitingWrite } from '../../../shared/items/group-commit.ts';
import { type BareWrite, SUBJECT } from './message.ts';

// The second process of the bare chain: commits the values of its messages together, puts them into Redis, and replies.
// Arguments: port, addresses of NATS, Redis and PostgreSQL. A commit that fails ends it, and with it the measurement.
const [port = '', natsUrl = '', redisUrl = '', pgUrl = ''] = process.argv.slice(2);
const connection = await connect({ servers: natsUrl, resolve: false });
const redis = new Redis(redisUrl);
const sql = postgres(pgUrl, { max: 16, onnotice: () => undefined });
await sql`
  create table if not exists bare_values (key text primary key, value text not null, sequence bigserial)`;
const encoder = new TextEncoder();

interface Waiting extends WaitingWrite {
  value: string;
  resolve(sequence: number): void;
}

const add = createGroupCommit<Waiting>({
  subject: SUBJECT,
  busy: createBusyKeys(),
  async commit(batch) {
    const rows = await sql<Array<{ key: string; sequence: string }>>`
      insert into bare_values (key, value)
      select * from unnest(${batch.map(({ name }) => name)}::text[], ${batch.map(({ value }) => value)}::text[])
      on conflict (key) do update set value = excluded.value, sequence = default
      returning key, sequence`;
    await redis.hset('bare', Object.fromEntries(batch.map(({ name, value }) => [name, value])));
    const sequences = new Map(rows.map(({ key, sequence }) => [key, Number(sequence)]));
    for (const { name, resolve } of batch) resolve(sequences.get(name) ?? 0);
  },
});

connection.subscribe(SUBJECT, {
  callback: (error, message) => {
    if (error === null) void answer(message.json<BareWrite[]>(), (reply) => message.respond(reply));
  },
});

async function answer(writes: BareWrite[], respond: (reply: Uint8Array) => void): Promise<void> {
  const sequences = await Promise.all(
    writes.map(
      ({ key, value }) =>
        new Promise<number>((resolve, reject) => {
          const deadline = steadyNow() + 15_000;
          add({ name: key, value, bytes: value.length, deadline, resolve, reject });
        }),
    ),
  );
  respond(encoder.encode(JSON.stringify(sequences)));
}

Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response('ready') });
