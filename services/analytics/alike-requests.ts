import { areAlike } from '../../shared/contracts/access-columns.ts';
import type { AccessEvent, RequestAttributes } from '../../shared/contracts/access-log.ts';

/** Requests that followed one another in a batch and are alike, one at least: a column for each thing in which they differ. */
export interface AlikeRequests {
  attributes: RequestAttributes;
  /** How many requests each entry stands for. */
  times: number;
  at: number[];
  requestIds: string[];
  durationsMs: number[];
}

/** A batch as it is written. */
export interface RequestBatch {
  id: string;
  runs: AlikeRequests[];
}

/** Gathers events that follow one another and are alike. */
export function toRuns(events: readonly AccessEvent[]): AlikeRequests[] {
  const runs: AlikeRequests[] = [];
  for (const { at, requestId, durationMs, requests: times = 1, ...attributes } of events) {
    let last = runs.at(-1);
    if (last === undefined || last.times !== times || !areAlike(last.attributes, attributes)) {
      last = { attributes, times, at: [], requestIds: [], durationsMs: [] };
      runs.push(last);
    }
    last.at.push(at);
    last.requestIds.push(requestId);
    last.durationsMs.push(durationMs);
  }
  return runs;
}
