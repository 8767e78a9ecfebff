/** Counts what came of the requests of all clients. */
export interface Outcomes {
  requests: number;
  /** Requests without the answer they should have had. */
  failures: number;
  /** The same by what was asked and answered. */
  byKind: Map<string, number>;
  /** Of each request in ms, until its answer was read to the end. */
  durations: number[];
}

export interface SoakClient {
  readonly outcomes: Outcomes;
  /** Sends a request and reads its answer to the end. `null` when it has not the status that it should have. */
  ask(what: string, request: Ask): Promise<Response | null>;
}

export interface Ask {
  path: string;
  method?: string;
  headers?: Record<string, string>;
  body?: RequestInit['body'];
  /** The status of the right answer. */
  wants?: number;
}

/** All items have one owner. */
const OWNER_TOKEN = 'own_the-soak-owns-all-of-its-items';

/** Longer than any request may take. */
const REQUEST_LIMIT_MS = 30_000;

/** @param ownHeaders sent with every request */
export function createSoakClient(url: string, ownHeaders: Record<string, string> = {}): SoakClient {
  const outcomes: Outcomes = { requests: 0, failures: 0, byKind: new Map(), durations: [] };

  const fail = (what: string): void => {
    outcomes.failures += 1;
    outcomes.byKind.set(what, (outcomes.byKind.get(what) ?? 0) + 1);
  };

  return {
    outcomes,
    async ask(what, { path, method = 'GET', headers = {}, body = null, wants = 200 }) {
      outcomes.requests += 1;
      const begun = performance.now();
      try {
        const response = await fetch(`${url}${path}`, {
          method,
          headers: { 'User-Agent': 'perch-soak/1', 'X-Owner-Token': OWNER_TOKEN, ...ownHeaders, ...headers },
          body,
          signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
        });
        const bytes = await response.arrayBuffer();
        outcomes.durations.push(performance.now() - begun);
        if (response.status !== wants) {
          fail(`${what}: ${response.status}`);
          return null;
        }
        return new Response(bytes.byteLength === 0 ? null : bytes);
      } catch (error) {
        fail(`${what}: ${error instanceof Error ? error.name : String(error)}`);
        return null;
      }
    },
  };
}
