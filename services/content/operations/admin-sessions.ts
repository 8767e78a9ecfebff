import { recordDone } from '../../../shared/audit/audit-trail.ts';
import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/admin-sessions.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { writeInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';

type Dependencies = Pick<ContentDependencies, 'sql' | 'clock'>;

/** Opens a session of the operator's console. @throws TIMEOUT */
export async function openAdminSession(
  deps: Dependencies,
  { actor, ...session }: InputOf<typeof contract.openAdminSession>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.openAdminSession>> {
  return await writeInTime(deps, context, 'a sign-in', async (tx) => {
    const now = deps.clock.now();
    if (await insertSession(tx, session, now)) await recordDone(tx, context, 'sign-in', '', actor, now);
    return {};
  });
}

export const checkAdminSession = async (
  { sql, clock }: Dependencies,
  { sessionId }: InputOf<typeof contract.checkAdminSession>,
): Promise<ReplyOf<typeof contract.checkAdminSession>> => ({
  isOpen: await isSessionOpen(sql, sessionId, clock.now()),
});

/** Ends one session or all of them, for every gateway at once. @throws TIMEOUT */
export async function endAdminSessions(
  deps: Dependencies,
  { sessionId, actor }: InputOf<typeof contract.endAdminSessions>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.endAdminSessions>> {
  return await writeInTime(deps, context, 'a sign-out', async (tx) => {
    const now = deps.clock.now();
    const ended = await removeSessions(tx, sessionId, now);
    const action = sessionId === null ? 'sign-out-everywhere' : 'sign-out';
    await recordDone(tx, context, action, '', actor, now);
    return { ended };
  });
}

/** Opens a session once, whatever the number of attempts, and forgets those that are over. Returns whether it is new. */
async function insertSession(
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

async function isSessionOpen(sql: Query, sessionId: string, now: number): Promise<boolean> {
  const found = await sql`
    select from admin_sessions where session_id = ${sessionId} and expires_at > ${now}`;
  return found.length > 0;
}

/** Ends a session, or with `null` all of them. Returns how many were open. */
async function removeSessions(sql: Query, sessionId: string | null, now: number): Promise<number> {
  const { count } = await sql`
    delete from admin_sessions
    where expires_at > ${now} ${sessionId === null ? sql`` : sql`and session_id = ${sessionId}`}`;
  return count;
}
