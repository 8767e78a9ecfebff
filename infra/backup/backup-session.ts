import pino from 'pino';
import { openDatabase } from '../../shared/adapters/database/postgres.ts';
import { BACKUP_LOCK } from '../../shared/items/backup-lock.ts';
import { STATEMENT_LIMIT_MS, ToolError } from './run-tool.ts';

/** While one is open no blob is deleted. */
export interface BackupSession {
  /** @throws ToolError when the session was lost, and blobs may have been deleted since */
  assertHeld(): Promise<void>;
  end(): Promise<void>;
}

/** Routers forget connections that are silent for long, and the client closes them. */
const PING_MS = 20_000;

/**
 * Opens a session of its own that holds the lock of backups, on the primary where there are several servers.
 * @throws ToolError on a standby: who deletes blobs looks for the lock on the primary
 */
export async function openBackupSession(databaseUrl: string): Promise<BackupSession> {
  const sql = openDatabase(databaseUrl, {
    log: pino({ level: 'silent' }),
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_LIMIT_MS,
    applicationName: 'perch backup',
  });
  const { classId, objectId } = BACKUP_LOCK;
  const held = async (): Promise<boolean> => {
    const [row] = await sql<{ held: boolean }[]>`
      select exists (
        select from pg_locks where pid = pg_backend_pid() and locktype = 'advisory' and granted
        and classid = ${classId} and objid = ${objectId} and objsubid = 2
      ) as held`;
    return row?.held ?? false;
  };
  let lost = false;
  const check = async (): Promise<void> => {
    lost ||= !(await held().catch(() => false));
  };
  const [server] = await sql<{ standby: boolean }[]>`select pg_is_in_recovery() as standby`;
  if (server?.standby) {
    await sql.end({ timeout: 1 });
    throw new ToolError(
      'The database is a standby, which does not keep blobs from being deleted while they are copied. Let PG_URL name the primary server.',
    );
  }
  await sql`select pg_advisory_lock_shared(${classId}::int, ${objectId}::int)`;
  const ping = setInterval(() => void check(), PING_MS);
  return {
    async assertHeld() {
      await check();
      if (lost) {
        throw new ToolError(
          'The connection to the database was lost meanwhile, so the content may not be complete. Run it again: what was copied is not copied twice.',
        );
      }
    },
    async end() {
      clearInterval(ping);
      await sql.end({ timeout: 1 });
    },
  };
}
