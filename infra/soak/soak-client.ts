import { type Call, type Seen, sendCall } from '../load/send.ts';

/** Counts what came of the requests of all clients. */
export interface Outcomes {
  requests: number;
  /** Requests without the answer they should have had. */
  failures: number;
  /** Failures by what was asked and answered. */
  byKind: Map<string, number>;
  /** Duration of each request in ms, until its answer was read to the end. */
  durations: number[];
}

export interface SoakClient {
  readonly outcomes: Outcomes;
  /** Sends a request and reads its answer to the end. `null` when it has not the status that it should have. */
  ask(what: string, request: Ask): Promise<string | null>;
}

export interface Ask extends Pick<Call, 'path' | 'headers' | 'body'> {
  /** GET unless said otherwise. */
  method?: string;
  /** The status of the right answer: 200 unless said otherwise. */
  wants?: number;
  /** Text that the right answer has in it: what was asked for, and nobody else's. */
  has?: string;
}

/** All items have one owner. */
const OWNER = { 'X-Owner-Token': 'own_the-soak-owns-all-of-its-items' };

export const createOutcomes = (): Outcomes => ({
  requests: 0,
  failures: 0,
  byKind: new Map(),
  durations: [],
});

/** Why an answer is not the right one; `null`: it is. */
function problemOf(seen: Seen, wants: number, has: string): string | null {
  if (!seen.answered) return seen.reason;
  if (seen.status !== wants) return `${seen.status}`;
  return seen.text.includes(has) ? null : 'of another item';
}

/**
 * @param ownHeaders sent with every request
 * @param outcomes where its requests are counted
 */
export function createSoakClient(
  url: string,
  ownHeaders: Record<string, string> = {},
  outcomes = createOutcomes(),
): SoakClient {
  return {
    outcomes,
    async ask(what, { method = 'GET', wants = 200, has = '', headers, ...request }) {
      outcomes.requests += 1;
      const begun = performance.now();
      const seen = await sendCall(url, {
        ...request,
        method,
        template: what,
        headers: { ...OWNER, ...ownHeaders, ...headers },
      });
      if (seen.answered) outcomes.durations.push(performance.now() - begun);
      const problem = problemOf(seen, wants, has);
      if (seen.answered && problem === null) return seen.text;
      const failure = `${what}: ${problem}`;
      outcomes.failures += 1;
      outcomes.byKind.set(failure, (outcomes.byKind.get(failure) ?? 0) + 1);
      return null;
    },
  };
}
