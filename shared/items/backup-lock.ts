import type { Query } from './sql.ts';

/**
 * The advisory lock (PostgreSQL, two-key form) that a backup's session holds in shared mode while it copies blobs. As long
 * as anybody holds it no blob is deleted: what an item of the backup's snapshot refers to stays, even if the item is
 * replaced or removed meanwhile. The lock ends with its session, so a backup that dies stops nobody.
 */
export const BACKUP_LOCK = { classId: 0x70_65_72_63, objectId: 1 } as const;

/** A condition: whether a backup of this database is under way. */
export const backupIsUnderWay = (sql: Query) => sql`
  exists (
    select from pg_locks
    where locktype = 'advisory' and classid = ${BACKUP_LOCK.classId} and objid = ${BACKUP_LOCK.objectId}
      and objsubid = 2 and granted
      and database = (select oid from pg_database where datname = current_database())
  )`;
