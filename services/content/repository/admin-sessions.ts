import type { Query } from '../../../shared/items/sql.ts';

/** Opens a session once, whatever the number of attempts, and forgets those that are over. Returns whether it is new. */
export async function insertSession(
  sql: Query,
  session: { sessionId: string; expiresAt: number },
  now: number,
): Promise<boolean> {
  await sql`delete from admin_sessions where expires_at <= ${now}`;
  const { count } = await sql`
    insert into admin_sessions (session_id, expires_at) values (${session.sessionId}, ${session.expiresAt})
    on conflict (session_id) do nothing`;
  return count > 0;
}

export async function isSessionOpen(sql: Query, sessionId: string, now: number): Promise<boolean> {
  const found = await sql`
    select from admin_sessions where session_id = ${sessionId} and expires_at > ${now}`;
  return found.length > 0;
}

/** Ends a session, or with `null` all of them. Returns how many were open. */
export async function removeSessions(sql: Query, sessionId: string | null, now: number): Promise<number> {
  const { count } = await sql`
    delete from admin_sessions
    where expires_at > ${now} ${sessionId === null ? sql`` : sql`and session_id = ${sessionId}`}`;
  return count;
}
