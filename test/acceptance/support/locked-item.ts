import postgres from 'postgres';
import { databaseUrl } from '../../faults/blob-audit.ts';
import type { Instance } from '../../instance.ts';
import type { Address } from './client.ts';
import { eventually } from './concurrency.ts';

/** Less than a statement may take, in ms. */
const STATEMENT_MS = 4_500;

/** Time for a request to come to where it waits, in ms: behind another one in the same process it shows nowhere. */
const ON_ITS_WAY_MS = 500;

/**
 * Sends requests that all need the lock of one item, while it is held: each once the one before waits for the lock, or for its
 * turn in a process whose earlier change of the item does. They get it in this order, and whatever one has read before belongs to
 * the time before the one in front of it.
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
        const waits = eventually(async () => (await waiting()) > before, STATEMENT_MS);
        await (before === 0 ? waits : Promise.race([waits.catch(() => undefined), Bun.sleep(ON_ITS_WAY_MS)]));
      }
    });
    return await Promise.all(answers);
  } finally {
    await Promise.allSettled(answers);
    await sql.end();
  }
}
