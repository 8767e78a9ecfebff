import pino from 'pino';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { reach } from '../../shared/wiring/reach.ts';

interface MigrateFirstOptions {
  /** Takes lines for the operator. */
  say: (line: string) => void;
  /** Ends the waiting. A migration that is cut off is done again by the next start. */
  signal: AbortSignal;
  /** The operator is told when it takes longer than this, in ms. */
  sayAfterMs?: number;
}

/**
 * Brings the schema up to date before any service starts, however long that takes: a service which is not ready after a
 * minute and a half is killed, and would begin anew.
 * @throws Error that names PG_URL when a migration fails or nobody answers there; another when the signal comes first
 */
export async function migrateFirst(
  url: string,
  { say, signal, sayAfterMs = 3_000 }: MigrateFirstOptions,
): Promise<void> {
  const log = pino({ level: 'warn' }, pino.destination({ dest: 2, sync: true }));
  const timer = setTimeout(
    () =>
      say(
        'The database is being brought up to date. With much data that takes long; the services start after it.',
      ),
    sayAfterMs,
  );
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(new Error('stopped while the database was brought up to date'));
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const migrated = migrate(url, { directory: MIGRATIONS, log, lockTimeoutMs: Number.POSITIVE_INFINITY });
    await Promise.race([reach('PG_URL', 'PostgreSQL', migrated), ended]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
