import type { Query } from './sql.ts';

/** The statement timeout of the database's connections, in ms. */
const USUAL_STATEMENT_MS = 5_000;

/** Lets no further statement of a transaction take longer than `leftMs`, its waits for locks included. */
export async function limitStatements(tx: Query, leftMs: number): Promise<void> {
  const limitMs = Math.max(1, Math.ceil(leftMs));
  if (limitMs < USUAL_STATEMENT_MS)
    await tx`select set_config('statement_timeout', ${String(limitMs)}, true)`;
}
