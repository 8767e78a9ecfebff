import type { Sql } from 'postgres';
import type { SentRequest } from '../../load/client.ts';
import type { Note } from '../../load/findings.ts';
import { send } from '../../load/send.ts';
import { until } from '../../until.ts';

/** The requests of a cycle, and what a killed gateway may have taken with it. */
export interface LoggedCycle {
  cycle: number;
  mark: string;
  requests: SentRequest[];
  /** The gateways that were killed, and when. */
  killed: ReadonlyArray<{ gateway: number; at: number }>;
  /** When the database lost rows: those of requests that were answered meanwhile. */
  lost: { from: number; until: number } | null;
}

/**
 * Longest time from an answer to its event's arrival in the stream, in ms: the gateway gathers for 50, the rest is
 * transport. A killed gateway loses the events of this time.
 */
const UNSENT_MS = 500;

/** A number of a gateway's metrics; those that were not counted yet are 0. */
export async function metricOf(gateway: string, name: string): Promise<number> {
  const seen = await send(`${gateway}/metrics`);
  const text = seen.answered ? seen.text : '';
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** Waits until no gateway holds events back: who is killed next would take them along. */
export async function untilSent(gateways: string[], note: Note): Promise<void> {
  const isSent = async (): Promise<boolean> => {
    const buffered = await Promise.all(
      gateways.map((gateway) => metricOf(gateway, 'access_events_buffered')),
    );
    return buffered.every((count) => count <= 2);
  };
  await until('all access events are sent', isSent, 20_000).catch((error: unknown) =>
    note('access-log', String(error)),
  );
  for (const gateway of gateways) {
    const dropped = await metricOf(gateway, 'access_events_dropped_total');
    if (dropped > 0) note('access-log', `${gateway} has dropped ${dropped} events`);
  }
}

const ROWS_AT_ONCE = 5_000;
const PATIENCE_MS = 60_000;

/** Each request that was answered has its row, and none has two. Returns how many rows went with killed gateways, or with what the database lost. */
export async function auditAccessLog(
  sql: Sql,
  cycles: LoggedCycle[],
  noteIn: (cycle: number) => Note,
): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const rows = await countRows(sql);
    const missing = cycles.flatMap((cycle) => missingOf(cycle, rows));
    const lost = missing.filter(({ isExplained }) => !isExplained);
    if (lost.length > 0 && Date.now() < deadline) {
      await Bun.sleep(1_000);
      continue;
    }
    for (const [cycle, marks] of Map.groupBy(lost, ({ cycle }) => cycle)) {
      noteIn(cycle)('access-log', `${marks.length} requests are not in the log, such as ${marks[0]?.mark}`);
    }
    for (const [mark, count] of rows) {
      if (count > 1)
        noteIn(Number(/^c(\d+)-/.exec(mark)?.[1] ?? 0))('access-log', `${mark} is in the log ${count} times`);
    }
    return missing.length - lost.length;
  }
}

async function countRows(sql: Sql): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  const query = sql<Array<{ mark: string }>>`
    select substring(user_agent from 'mark=(c[0-9]+-[0-9]+)') as mark from access_entries
    where user_agent like '%mark=c%'`;
  for await (const rows of query.cursor(ROWS_AT_ONCE)) {
    for (const { mark } of rows) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return counts;
}

function missingOf({ cycle, mark, requests, killed, lost }: LoggedCycle, rows: Map<string, number>) {
  return requests.flatMap(({ gateway, answeredAt }, number) => {
    const name = `${mark}-${number}`;
    if (answeredAt === null || rows.has(name)) return [];
    const isUnsent = killed.some(
      (one) => gateway === one.gateway && answeredAt > one.at - UNSENT_MS && answeredAt <= one.at + UNSENT_MS,
    );
    const isExplained = isUnsent || (lost !== null && answeredAt >= lost.from && answeredAt <= lost.until);
    return [{ cycle, mark: name, isExplained }];
  });
}
