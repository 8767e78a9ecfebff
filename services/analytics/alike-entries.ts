import type { RequestAttributes } from '../../shared/contracts/access-log.ts';
import type { AlikeRequests } from './alike-requests.ts';

/** Most entries in a row: fewer than the ids that the sequence leaves to it (migration 46). */
export const MAX_ALIKE = 500;

/** Entries of a row are of one span of so many ms, and so of one day: the row is found by the time of the newest. */
export const ALIKE_SPAN_MS = 1_000;

/** Entries that share a row, one at least: columns with the oldest first. */
export interface AlikeEntries {
  /** How many requests each of them stands for. */
  times: number;
  at: number[];
  requestIds: string[];
  durationsMs: number[];
  /** Of each entry; they differ in the client alone. */
  attributes: RequestAttributes[];
}

/**
 * Groups requests that differ in nothing but time, id, duration and client, to be kept in a row together. Errors of the server,
 * which people look at one by one, and entries of several requests stay alone. Groups come in the order of their newest entries,
 * so that rows which are read one after the other lie together.
 */
export function groupAlike(runs: readonly AlikeRequests[]): AlikeEntries[] {
  const groups: AlikeEntries[] = [];
  const open = new Map<string, AlikeEntries>();
  for (const run of runs) {
    const { at } = run;
    for (let from = 0; from < at.length; ) {
      const span = spanOf(at[from] ?? 0);
      const key = mayShare(run) ? keyOf(run.attributes, span) : null;
      let group = key === null ? undefined : open.get(key);
      if (group === undefined || group.at.length === MAX_ALIKE) {
        group = { times: run.times, at: [], requestIds: [], durationsMs: [], attributes: [] };
        groups.push(group);
        if (key !== null) open.set(key, group);
      }
      const end = key === null ? from + 1 : Math.min(at.length, from + MAX_ALIKE - group.at.length);
      let to = from + 1;
      while (to < end && spanOf(at[to] ?? 0) === span) to += 1;
      append(group, run, from, to);
      from = to;
    }
  }
  return groups.map(oldestFirst).sort((a, b) => newestOf(a) - newestOf(b));
}

/** When the newest entry of a row was. */
export const newestOf = ({ at }: AlikeEntries): number => at.at(-1) ?? 0;

function append(group: AlikeEntries, run: AlikeRequests, from: number, to: number): void {
  const { attributes, at, requestIds, durationsMs } = run;
  for (let index = from; index < to; index++) {
    group.at.push(at[index] ?? 0);
    group.requestIds.push(requestIds[index] ?? '');
    group.durationsMs.push(durationsMs[index] ?? 0);
    group.attributes.push(attributes);
  }
}

function oldestFirst(group: AlikeEntries): AlikeEntries {
  const { times, at, requestIds, durationsMs, attributes } = group;
  if (at.every((ms, index) => ms >= (at[index - 1] ?? 0))) return group;
  const order = at.map((_, index) => index).sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0));
  const sorted = <T>(column: readonly T[]): T[] => order.flatMap((index) => column.slice(index, index + 1));
  return {
    times,
    at: sorted(at),
    requestIds: sorted(requestIds),
    durationsMs: sorted(durationsMs),
    attributes: sorted(attributes),
  };
}

const mayShare = ({ attributes, times }: AlikeRequests): boolean => attributes.status < 500 && times === 1;

/** Fields that alike entries have in common. */
const COMMON = [
  'path',
  'status',
  'method',
  'query',
  'resourceType',
  'resourceNamespace',
  'resourceId',
] as const;

/** Fields that alike entries all have, or all lack. */
const OF_CLIENT = ['userAgent', 'referer'] as const;

const spanOf = (at: number): number => Math.floor(at / ALIKE_SPAN_MS);

/** Alike entries have one key, others have others. PostgreSQL takes no NUL, so no text holds one. */
const keyOf = (attributes: RequestAttributes, span: number): string =>
  [
    span,
    ...COMMON.map((field) => attributes[field] ?? '\0'),
    ...OF_CLIENT.map((field) => attributes[field] === null),
  ].join('\0');
