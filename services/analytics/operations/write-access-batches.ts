import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import { type AlikeEntries, groupAlike } from '../alike-entries.ts';
import type { AlikeRequests, RequestBatch } from '../alike-requests.ts';
import type { AccessLogDependencies } from '../dependencies.ts';
import { claimBatches } from '../repository/batches.ts';
import { makeDays } from '../repository/days.ts';
import { insertEntries } from '../repository/insert-entries.ts';
import { addToRollUps } from '../repository/roll-ups.ts';
import { rollUp } from '../roll-ups.ts';
import { dayOf, oldestKeptDay } from '../utc-days.ts';

/** Entries written by one statement, as far as rows can be told apart: far from its time limit. */
const ENTRIES_PER_STATEMENT = 5_000;

/**
 * Writes batches of events into the log and its roll-ups, in one transaction: when it resolves, they are committed. A
 * batch whose id was written before is passed over, also when both are written at once. Events older than the log keeps
 * are dropped; those from the future are of now.
 */
export async function writeAccessBatches(
  { sql, clock, log, logRetentionDays }: AccessLogDependencies,
  batches: readonly RequestBatch[],
): Promise<void> {
  if (batches.length === 0) return;
  const now = clock.now();
  const oldest = oldestKeptDay(now, logRetentionDays);
  const runsOf = new Map<string, AlikeRequests[]>();
  const sanitize = createSanitizer(now);
  let late = 0;
  for (const { id, runs } of batches) {
    const kept = runs.map((run) => withoutLate(run, oldest)).filter(({ at }) => at.length > 0);
    late += entriesOf(runs) - entriesOf(kept);
    runsOf.set(id, kept.map(sanitize));
  }
  if (late > 0) log.warn({ events: late }, 'access events older than the log keeps are dropped');

  const days = new Set<number>();
  for (const runs of runsOf.values()) for (const { at } of runs) for (const ms of at) days.add(dayOf(ms));
  await makeDays(sql, [...days]);
  await sql.begin(async (tx) => {
    const claimed = await claimBatches(tx, [...runsOf.keys()], now);
    const runs = [...claimed].flatMap((id) => runsOf.get(id) ?? []);
    if (runs.length === 0) return;
    for (const rows of statementsOf(groupAlike(runs))) await insertEntries(tx, rows);
    await addToRollUps(tx, rollUp(runs));
  });
}

const entriesOf = (runs: readonly AlikeRequests[]): number =>
  runs.reduce((sum, { at }) => sum + at.length, 0);

/** Without the entries before a moment; as it is where there are none. */
function withoutLate(run: AlikeRequests, oldest: number): AlikeRequests {
  const { at } = run;
  if (at.every((ms) => ms >= oldest)) return run;
  const left = <T>(column: readonly T[]): T[] => column.filter((_, index) => (at[index] ?? 0) >= oldest);
  return { ...run, at: left(at), requestIds: left(run.requestIds), durationsMs: left(run.durationsMs) };
}

/** Rows, one at least, by the statement that writes them. */
function statementsOf(rows: readonly AlikeEntries[]): AlikeEntries[][] {
  const statements: AlikeEntries[][] = [];
  let room = 0;
  for (const row of rows) {
    if (room <= 0) {
      statements.push([]);
      room = ENTRIES_PER_STATEMENT;
    }
    statements.at(-1)?.push(row);
    room -= row.at.length;
  }
  return statements;
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
function createSanitizer(now: number): (run: AlikeRequests) => AlikeRequests {
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
  const fit = (of: RequestAttributes): RequestAttributes => ({
    status: of.status,
    resourceType: of.resourceType,
    clientIp: clientIp(of.clientIp),
    userAgent: userAgent(of.userAgent),
    method: method(of.method),
    path: path(of.path),
    query: query(of.query),
    referer: referer(of.referer),
    resourceNamespace: resourceNamespace(of.resourceNamespace),
    resourceId: resourceId(of.resourceId),
    viewed: viewed(of.viewed ?? null),
  });
  return ({ attributes, times, at, requestIds, durationsMs }) => ({
    attributes: fit(attributes),
    times,
    at: at.map((ms) => Math.min(ms, now)),
    requestIds: requestIds.map(requestId),
    durationsMs,
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
