import type { Database, Query } from '../../../shared/items/sql.ts';

/**
 * Runs several reads on one state of the database. Each statement is planned for its own values: which index serves best
 * depends on how frequent they are. None is compiled, which takes longer than it spares in statements over many days.
 */
export async function readSnapshot<T>(sql: Database, read: (tx: Query) => Promise<T>): Promise<T> {
  const result = await sql.begin('isolation level repeatable read read only', async (tx) => {
    await tx`select set_config('plan_cache_mode', 'force_custom_plan', true), set_config('jit', 'off', true)`;
    return { value: await read(tx) };
  });
  return result.value as T;
}
