import type { AccessBatch, AccessEvent } from '../../../shared/contracts/access-log.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { claimBatches } from '../repository/batches.ts';
import { makeDays } from '../repository/days.ts';
import { insertEntries } from '../repository/entries.ts';
import { addToRollUps } from '../repository/roll-ups.ts';
import { rollUp } from '../roll-ups.ts';
import { createStoring } from '../stored-event.ts';
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
  const store = createStoring(now);
  let late = 0;
  for (const { id, events } of batches) {
    const kept = events.filter(({ at }) => at >= oldest).map(store);
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
