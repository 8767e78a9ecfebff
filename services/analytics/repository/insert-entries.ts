import type { AccessEvent } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { type AlikeEntries, groupAlike } from '../alike-entries.ts';

/** Writes entries, one at least. The day of each must be there. Entries that are alike share a row. */
export async function insertEntries(sql: Query, events: readonly AccessEvent[]): Promise<void> {
  const groups = groupAlike(events);
  // The row's own columns are those of its newest entry.
  const rows = groups.map(({ newest }) => newest);
  /** A column of texts; of one that is the same in all, as in nearly all of a busy batch, the text itself. */
  const column = (values: Array<string | null>) => {
    const [first = null] = values;
    const isOne = values.every((value) => value === first);
    return isOne ? sql`${first}::text` : sql`unnest(${texts(values)}::text[])`;
  };
  const text = (textOf: (event: AccessEvent) => string | null) => column(rows.map(textOf));
  const alike = columnsOfGroups(groups);
  // Side by side in the list: as a table function of its own each column would first be kept as a table.
  await sql`
    insert into access_log (
      created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, requests,
      referer, resource_type, resource_namespace, resource_id,
      span_ms, before_ms, request_ids, durations_ms, client_ips, user_agents, referers
    )
    select
      to_timestamp(unnest(${numbers(rows.map(({ at }) => at))}::float8[]) / 1000),
      ${text(({ requestId }) => requestId)},
      ${text(({ clientIp }) => clientIp)},
      ${text(({ userAgent }) => userAgent)},
      ${text(({ method }) => method)},
      ${text(({ path }) => path)},
      ${text(({ query }) => query)},
      unnest(${numbers(rows.map(({ status }) => status))}::smallint[]),
      unnest(${numbers(rows.map(({ durationMs }) => durationMs))}::float8[]),
      unnest(${numbers(groups.map(requestsOf))}::integer[]),
      ${text(({ referer }) => referer)},
      ${text(({ resourceType }) => resourceType)},
      ${text(({ resourceNamespace }) => resourceNamespace)},
      ${text(({ resourceId }) => resourceId)},
      ${column(alike.spanMs)}::integer,
      ${column(alike.beforeMs)}::integer[],
      ${column(alike.requestIds)}::text[],
      ${column(alike.durationsMs)}::float8[],
      ${column(alike.clientIps)}::text[],
      ${column(alike.userAgents)}::text[],
      ${column(alike.referers)}::text[]`;
}

const requestsOf = ({ entries }: AlikeEntries): number =>
  entries.reduce((sum, { requests = 1 }) => sum + requests, 0);

/** The columns of rows that hold several entries, for each row an array literal; `null` where there is nothing to say. */
function columnsOfGroups(groups: readonly AlikeEntries[]) {
  const columnOf = (literalOf: (group: AlikeEntries) => string | null) =>
    groups.map((group) => (group.entries.length === 1 ? null : literalOf(group)));
  /** Of texts that all entries have in common the row has one. */
  const textsOf = (textOf: (event: AccessEvent) => string | null) =>
    columnOf(({ entries, newest }) => {
      const values = entries.map(textOf);
      const common = textOf(newest);
      return values.every((value) => value === common) ? null : texts(values);
    });
  return {
    spanMs: columnOf(({ entries: [oldest], newest }) => String(newest.at - (oldest?.at ?? newest.at))),
    beforeMs: columnOf(({ entries, newest }) => numbers(entries.map(({ at }) => newest.at - at))),
    requestIds: columnOf(({ entries }) => texts(entries.map(({ requestId }) => requestId))),
    durationsMs: columnOf(({ entries }) => numbers(entries.map(({ durationMs }) => durationMs))),
    clientIps: textsOf(({ clientIp }) => clientIp),
    userAgents: textsOf(({ userAgent }) => userAgent),
    referers: textsOf(({ referer }) => referer),
  };
}

// Columns as PostgreSQL reads arrays (its manual, "Array Value Input Syntax"). The client writes them, too, but quotes each
// number and searches each text anew, which took longer than all else in `analytics`.

const numbers = (values: readonly number[]): string => `{${values.join(',')}}`;

function texts(values: readonly (string | null)[]): string {
  // Texts that follow one another are often the same.
  let last: string | null = null;
  let literal = 'null';
  const literals = values.map((text) => {
    if (text !== last) {
      last = text;
      literal = text === null ? 'null' : textLiteral(text);
    }
    return literal;
  });
  return `{${literals.join(',')}}`;
}

/** Texts that mean themselves also without quotes, as ids, addresses and most paths do. */
const PLAIN = /^(?!null$)[\w./:-]+$/i;

const textLiteral = (text: string): string =>
  PLAIN.test(text) ? text : `"${text.replace(/[\\"]/g, '\\$&')}"`;
