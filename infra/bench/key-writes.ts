import postgres, { type Sql } from 'postgres';
import type { Bench } from './measurement.ts';
import { ask } from './perch.ts';
import { percentile } from './statistics.ts';

/** Writes under way at once, on either side. */
export const IN_FLIGHT = 32;
export const KEYS = 500;
const VALUE = 'A value of one kilobyte. '.repeat(41).slice(0, 1024);

export interface Outcome {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  badStatus?: number;
  socketErrors?: number;
}

/** A store that has all keys already. */
export async function makeStore(url: string): Promise<{ path: string; ownerToken: string }> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ key: 'k0', value: VALUE });
  const { namespace, id, ownerToken = '' } = await ask(`${url}/api/kv`, { method: 'POST', headers, body });
  const path = `/api/kv/${namespace}/${id}`;
  for (let n = 1; n < KEYS; n++) {
    await ask(`${url}${path}/k${n}`, {
      method: 'PUT',
      headers: { ...headers, 'X-Owner-Token': ownerToken },
      body: JSON.stringify({ value: VALUE }),
    });
  }
  return { path, ownerToken };
}

/** Upserts of single values, each committed by itself, for so many ms. */
export async function upserts(sql: Sql, limitMs: number): Promise<Outcome & { writes: number }> {
  const timesMs: number[] = [];
  const began = performance.now();
  let n = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() - began < limitMs) {
      const number = n++;
      const start = performance.now();
      await sql`
        insert into plain_values (key, value, updated_at)
        values (${`k${number % KEYS}`}, ${JSON.stringify(`${number} ${VALUE}`.slice(0, VALUE.length))}, now())
        on conflict (key) do update set value = excluded.value, updated_at = excluded.updated_at`;
      timesMs.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return {
    writes: timesMs.length,
    perSecond: timesMs.length / ((performance.now() - began) / 1000),
    p50Ms: percentile(timesMs, 0.5),
    p99Ms: percentile(timesMs, 0.99),
  };
}

/** A plain client with a connection for each write under way, and the table it writes to. */
export async function openPlainClient(bench: Bench, url: string): Promise<Sql> {
  const sql = postgres(url, { max: IN_FLIGHT, onnotice: () => undefined });
  bench.defer(() => sql.end({ timeout: 2 }));
  await sql`create table plain_values (key text primary key, value text not null, updated_at timestamptz not null)`;
  return sql;
}
