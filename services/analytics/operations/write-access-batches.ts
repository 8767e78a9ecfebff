import type { AccessBatch, AccessEvent } from '../../../shared/contracts/access-log.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { claimBatches } from '../repository/batches.ts';
import { makeDays } from '../repository/days.ts';
import { insertEntries } from '../repository/insert-entries.ts';
import { addToRollUps } from '../repository/roll-ups.ts';
import { rollUp } from '../roll-ups.ts';
import { dayOf, oldestKeptDay } from '../utc-days.ts';

/** Events written by one statement: far from its time limit. */
const EVENTS_PER_STATEMENT = 5_000;

/**
 * Writes batches of events into the log and its roll-ups, in one transaction: when it resolves, they are committed. A
 * batch whose id was written before is passed over, also when both are written at once. Events older than the log keeps
 * are dropped; those from the future are of now.
 */
export async function writeAccessBatches(
  { sql, clock, log, logRetentionDays }: AccessLogDependencies,
  batches: readonly AccessBatch[],
): Promise<void> {
  if (batches.length === 0) return;
  const now = clock.now();
  const oldest = oldestKeptDay(now, logRetentionDays);
  const eventsOf = new Map<string, AccessEvent[]>();
  const sanitize = createSanitizer(now);
  let late = 0;
  for (const { id, events } of batches) {
    const kept = events.filter(({ at }) => at >= oldest).map(sanitize);
    late += events.length - kept.length;
    eventsOf.set(id, kept);
  }
  if (late > 0) log.warn({ events: late }, 'access events older than the log keeps are dropped');

  const days = new Set<number>();
  for (const events of eventsOf.values()) for (const { at } of events) days.add(dayOf(at));
  await makeDays(sql, [...days]);
  await sql.begin(async (tx) => {
    const claimed = await claimBatches(tx, [...eventsOf.keys()], now);
    const events = [...claimed].flatMap((id) => eventsOf.get(id) ?? []);
    if (events.length === 0) return;
    for (let start = 0; start < events.length; start += EVENTS_PER_STATEMENT) {
      await insertEntries(tx, events.slice(start, start + EVENTS_PER_STATEMENT));
    }
    await addToRollUps(tx, rollUp(events));
  });
}

/** Characters that are kept of each text. The longest there can be still fits into indexes and into messages. */
const KEPT = {
  requestId: 64,
  clientIp: 64,
  userAgent: 512,
  method: 20,
  path: 2_048,
  query: 2_048,
  referer: 1_024,
  resourceNamespace: 64,
  resourceId: 256,
  viewed: 64,
} as const;

/**
 * Events as the database takes them: whatever one holds, it must not keep those that arrive with it from being written.
 * Texts that follow one another are often the same one, which is looked at once.
 */
function createSanitizer(now: number): (event: AccessEvent) => AccessEvent {
  const requestId = truncatedTo(KEPT.requestId);
  const clientIp = truncatedTo(KEPT.clientIp);
  const userAgent = orNull(truncatedTo(KEPT.userAgent));
  const method = truncatedTo(KEPT.method);
  const path = truncatedTo(KEPT.path);
  const query = truncatedTo(KEPT.query);
  const referer = orNull(truncatedTo(KEPT.referer));
  const resourceNamespace = orNull(truncatedTo(KEPT.resourceNamespace));
  const resourceId = orNull(truncatedTo(KEPT.resourceId));
  const viewed = orNull(truncatedTo(KEPT.viewed));
  return (event) => ({
    at: Math.min(event.at, now),
    status: event.status,
    durationMs: event.durationMs,
    requests: event.requests ?? 1,
    resourceType: event.resourceType,
    requestId: requestId(event.requestId),
    clientIp: clientIp(event.clientIp),
    userAgent: userAgent(event.userAgent),
    method: method(event.method),
    path: path(event.path),
    query: query(event.query),
    referer: referer(event.referer),
    resourceNamespace: resourceNamespace(event.resourceNamespace),
    resourceId: resourceId(event.resourceId),
    viewed: viewed(event.viewed ?? null),
  });
}

/** PostgreSQL's text holds no NUL, and its UTF-8 no halves of surrogate pairs. */
const MAY_BE_REFUSED = /[\0\ud800-\udfff]/;

function truncatedTo(characters: number): (text: string) => string {
  let last = '';
  let kept = '';
  return (text) => {
    if (text === last) return kept;
    last = text;
    const isFit = text.length <= characters && !MAY_BE_REFUSED.test(text);
    kept = isFit ? text : text.slice(0, characters).replaceAll('\0', '\ufffd').toWellFormed();
    return kept;
  };
}

const orNull =
  (keep: (text: string) => string) =>
  (text: string | null): string | null =>
    text === null ? null : keep(text);
