import type { RequestAttributes } from '../../../shared/contracts/access-log.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { type AlikeEntries, newestOf } from '../alike-entries.ts';

/** Writes rows, one at least. The day of each must be there. */
export async function insertEntries(sql: Query, rows: readonly AlikeEntries[]): Promise<void> {
  /** A column of texts; of one that is the same in all, as in nearly all of a busy batch, the text itself. */
  const column = (values: Array<string | null>) => {
    const [first = null] = values;
    const isOne = values.every((value) => value === first);
    return isOne ? sql`${first}::text` : sql`unnest(${texts(values)}::text[])`;
  };
  // The row's own columns are those of its newest entry.
  const newest = rows.flatMap(({ attributes }) => attributes.slice(-1));
  const text = (textOf: (of: RequestAttributes) => string | null) => column(newest.map(textOf));
  const newestIds = rows.map(({ requestIds }) => requestIds.at(-1) ?? '');
  const newestMs = rows.map(({ durationsMs }) => durationsMs.at(-1) ?? 0);
  const alike = columnsOfAlike(rows);
  // Side by side in the list: as a table function of its own each column would first be kept as a table.
  await sql`
    insert into access_log (
      created_at, request_id, client_ip, user_agent, method, path, query, status, duration_ms, requests,
      referer, resource_type, resource_namespace, resource_id,
      span_ms, before_ms, request_ids, durations_ms, client_ips, user_agents, referers
    )
    select
      to_timestamp(unnest(${numbers(rows.map(newestOf))}::float8[]) / 1000),
      ${column(newestIds)},
      ${text(({ clientIp }) => clientIp)},
      ${text(({ userAgent }) => userAgent)},
      ${text(({ method }) => method)},
      ${text(({ path }) => path)},
      ${text(({ query }) => query)},
      unnest(${numbers(newest.map(({ status }) => status))}::smallint[]),
      unnest(${numbers(newestMs)}::float8[]),
      unnest(${numbers(rows.map(({ at, times }) => at.length * times))}::integer[]),
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

/** The columns of rows that hold several entries, for each row an array literal; `null` where there is nothing to say. */
function columnsOfAlike(rows: readonly AlikeEntries[]) {
  const columnOf = (literalOf: (row: AlikeEntries, newestAt: number) => string | null) =>
    rows.map((row) => (row.at.length === 1 ? null : literalOf(row, newestOf(row))));
  /** Of texts that all entries have in common the row has one. */
  const textsOf = (textOf: (of: RequestAttributes) => string | null) =>
    columnOf(({ attributes }) => {
      const [first] = attributes;
      if (attributes.every((of) => of === first)) return null;
      const values = attributes.map(textOf);
      const [common] = values;
      return values.every((value) => value === common) ? null : texts(values);
    });
  return {
    spanMs: columnOf(({ at: [oldestAt = 0] }, newestAt) => String(newestAt - oldestAt)),
    beforeMs: columnOf(({ at }, newestAt) => numbers(at.map((ms) => newestAt - ms))),
    requestIds: columnOf(({ requestIds }) => texts(requestIds)),
    durationsMs: columnOf(({ durationsMs }) => numbers(durationsMs)),
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
