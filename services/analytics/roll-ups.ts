import type { RequestAttributes } from '../../shared/contracts/access-log.ts';
import type { AlikeRequests } from './alike-requests.ts';
import { bucketOf, type LatencyCount } from './latency-buckets.ts';
import { dateOf, dayOf, hourOf } from './utc-days.ts';

export type Dimension = 'path' | 'user_agent' | 'referer';

type Counted<Key> = Key & { requests: number };

/** Sums of some events, one entry for each roll-up row. Hours are named by their first ms, days like `2026-11-21`. */
export interface RollUps {
  hours: Array<Counted<{ hour: number; method: string; status: number }>>;
  latencies: Array<LatencyCount & { hour: number }>;
  ips: Array<Counted<{ day: string; clientIp: string }>>;
  values: Array<Counted<{ day: string; dimension: Dimension; value: string }>>;
  /** Views of items, by their codes: by the hour, and by the host that their readers came from. */
  views: Array<Counted<{ hour: number; code: string }>>;
  referers: Array<Counted<{ day: string; code: string; host: string }>>;
}

/** Characters of a path, User-Agent or Referer that count: those that begin alike are one value. */
const VALUE_CHARACTERS = 300;

/** Counts requests as the roll-ups do. */
export function rollUp(runs: readonly AlikeRequests[]): RollUps {
  const keyOf = createStatusMethodKeys();
  const requests = createTally<string>();
  const latencies = createTally<number>();
  const ips = createTally<string>();
  const values: Record<Dimension, Tally<string>> = {
    path: createTally(),
    user_agent: createTally(),
    referer: createTally(),
  };
  const views = createTally<string>();
  const referers = createTally<string>();
  const hostOf = createRefererHosts();
  const count = (hour: number, attributes: RequestAttributes, times: number): void => {
    const { method, status, clientIp, path, userAgent, referer, viewed = null } = attributes;
    const day = dayOf(hour);
    requests.count(hour, keyOf(status, method), times);
    ips.count(day, clientIp, times);
    values.path.count(day, counted(path), times);
    if (userAgent !== null) values.user_agent.count(day, counted(userAgent), times);
    if (referer !== null) values.referer.count(day, counted(referer), times);
    if (viewed === null) return;
    views.count(hour, viewed, times);
    const host = referer === null ? null : hostOf(referer);
    if (host !== null) referers.count(day, `${viewed} ${host}`, times);
  };
  for (const { attributes, times, at, durationsMs } of runs) {
    for (let from = 0; from < at.length; ) {
      const hour = hourOf(at[from] ?? 0);
      let to = from;
      for (; to < at.length && hourOf(at[to] ?? 0) === hour; to++)
        latencies.count(hour, bucketOf(durationsMs[to] ?? 0), times);
      count(hour, attributes, (to - from) * times);
      from = to;
    }
  }
  return {
    hours: requests.rows((hour, name, requests) => ({
      hour,
      requests,
      method: name.slice(4),
      status: Number(name.slice(0, 3)),
    })),
    latencies: latencies.rows((hour, bucket, requests) => ({ hour, bucket, requests })),
    ips: ips.rows((day, clientIp, requests) => ({ day: dateOf(day), clientIp, requests })),
    values: (['path', 'user_agent', 'referer'] as const).flatMap((dimension) =>
      values[dimension].rows((day, value, requests) => ({ day: dateOf(day), dimension, value, requests })),
    ),
    views: views.rows((hour, code, requests) => ({ hour, code, requests })),
    referers: referers.rows((day, name, requests) => {
      const [code = '', host = ''] = name.split(' ');
      return { day: dateOf(day), code, host, requests };
    }),
  };
}

/** Longest name of a host (RFC 1035, section 2.3.4). */
const HOST_CHARACTERS = 253;

/** Characters of a scheme, a name and a port. */
const MAX_AUTHORITY = HOST_CHARACTERS + 20;

/** The host of a Referer, found once for requests that follow one another; `null`: it names none. */
function createRefererHosts(): (referer: string) => string | null {
  let last = '';
  let host: string | null = null;
  return (referer) => {
    if (referer === last) return host;
    last = referer;
    // IDNA takes long for long names, and browsers send names in ASCII.
    const [authority = ''] = /^[a-z][a-z\d+.-]*:\/\/[^/?#\\]*/i.exec(referer) ?? [];
    const isName = authority.length <= MAX_AUTHORITY && /^[\x21-\x7e]*$/.test(authority);
    const name = isName ? (URL.parse(authority)?.host ?? '') : '';
    // The host of other schemes than http is not parsed, and may hold anything.
    host = name.length <= HOST_CHARACTERS && /^[\w.:[\]-]+$/.test(name) ? name.toLowerCase() : null;
    return host;
  };
}

/** `200 GET`, made once for requests that follow one another. */
function createStatusMethodKeys(): (status: number, method: string) => string {
  let last = { status: 0, method: '', name: '' };
  return (status, method) => {
    if (last.status !== status || last.method !== method)
      last = { status, method, name: `${status} ${method}` };
    return last.name;
  };
}

/** Cutting may leave half of a surrogate pair. */
const counted = (text: string): string =>
  text.length > VALUE_CHARACTERS ? text.slice(0, VALUE_CHARACTERS).toWellFormed() : text;

/** Requests of each hour or day (by its first ms) by something they have. */
interface Tally<Value> {
  count(time: number, value: Value, times: number): void;
  rows<Row>(toRow: (time: number, value: Value, requests: number) => Row): Row[];
}

function createTally<Value>(): Tally<Value> {
  const found = new Map<number, Map<Value, Counted<{ time: number; value: Value }>>>();
  const rowOf = (time: number, value: Value) => {
    const values = found.get(time) ?? new Map<Value, Counted<{ time: number; value: Value }>>();
    found.set(time, values);
    const row = values.get(value) ?? { time, value, requests: 0 };
    values.set(value, row);
    return row;
  };
  // Requests that follow one another are often alike.
  let last: Counted<{ time: number; value: Value }> | null = null;
  return {
    count(time, value, times) {
      if (last === null || last.value !== value || last.time !== time) last = rowOf(time, value);
      last.requests += times;
    },
    rows: (toRow) =>
      [...found.values()].flatMap((values) =>
        [...values.values()].map((row) => toRow(row.time, row.value, row.requests)),
      ),
  };
}
