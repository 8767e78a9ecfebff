import postgres from 'postgres';
import { databaseUrl } from '../../faults/blob-audit.ts';
import type { Instance } from '../../instance.ts';
import type { Address } from './client.ts';
import { eventually } from './concurrency.ts';

/**
 * Sends requests that all need the lock of one item, while it is held: each once the one before waits for the lock. They get
 * it in this order, and whatever one has read before belongs to the time before the one in front of it.
 */
export async function behindLockOf(
  instance: Instance,
  { namespace, id }: Address,
  requests: Array<() => Promise<Response>>,
): Promise<Response[]> {
  const sql = postgres(await databaseUrl(instance));
  const waiting = async (): Promise<number> => {
    const rows = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and wait_event in ('transactionid', 'tuple')`;
    return rows.length;
  };
  const answers: Array<Promise<Response>> = [];
  try {
    await sql.begin(async (tx) => {
      await tx`select from items where namespace = ${namespace} and id = ${id} for update`;
      for (const request of requests) {
        const before = await waiting();
        answers.push(request());
        // Within the time that a statement has.
        await eventually(async () => (await waiting()) > before, 4_500);
      }
    });
    return await Promise.all(answers);
  } finally {
    await Promise.allSettled(answers);
    await sql.end();
  }
}
