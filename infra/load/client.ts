import { type Contract, loadContract } from './contract.ts';
import type { Note } from './findings.ts';
import { AGENT, type Call, insist, type Seen, sendCall } from './send.ts';

export interface Client {
  /** How many gateways there are; they are meant by their index. */
  readonly gateways: string[];
  /** Sends a request to a gateway, and holds its answer against the contract and the deadline. */
  send(call: Call, gateway: number): Promise<Seen>;
  readonly tally: Tally;
}

/** Outcomes of the requests of a cycle. */
export interface Tally {
  answered: number;
  /** Answered 503 or 504. */
  refused: number;
  unanswered: number;
  /** The longest, in ms. */
  worstMs: number;
  worst: string;
  /** For each mark in the access log, which request it was; by number. */
  requests: SentRequest[];
}

export interface SentRequest {
  gateway: number;
  sentAt: number;
  /** `null`: no answer. */
  answeredAt: number | null;
}

/** Longest time a gateway allows a request, plus the delay of a busy machine, in ms. */
const DEADLINE_MS = 15_000;
const SLACK_MS = 3_000;

interface ClientOptions {
  gateways: string[];
  contract: Contract;
  /** Stands before the number of each request, in the User-Agent that the access log has. */
  mark: string;
  note: Note;
  /** How long a process may stand still meanwhile, in ms: a request may take so much longer. */
  standstillMs: number;
  /** Whether connections to this gateway may break now. */
  mayBreakOff(gateway: number): boolean;
  /** Whether requests may be refused now. */
  mayBeRefused(sentAt: number): boolean;
}

export function createClient(options: ClientOptions): Client {
  const { gateways, contract, mark, note, standstillMs } = options;
  const tally: Tally = {
    answered: 0,
    refused: 0,
    unanswered: 0,
    worstMs: 0,
    worst: '',
    requests: [],
  };
  const check = (call: Call, gateway: number, seen: Seen, ms: number, sentAt: number): void => {
    const name = `${call.method} ${call.template}`;
    if (ms > tally.worstMs) Object.assign(tally, { worstMs: ms, worst: name });
    if (ms > DEADLINE_MS + SLACK_MS + standstillMs) note('late', `${name} took ${Math.round(ms)} ms`);
    if (!seen.answered) {
      tally.unanswered += 1;
      if (!options.mayBreakOff(gateway)) note('broken-off', `${name} got no answer: ${seen.reason}`);
      return;
    }
    tally.answered += 1;
    const fault = contract.faultOf(call, seen);
    if (fault !== null) note('answer', fault);
    if (seen.status !== 503 && seen.status !== 504) return;
    tally.refused += 1;
    if (!options.mayBeRefused(sentAt)) {
      note('refused', `${name} got ${seen.status} although all was well: ${seen.text.slice(0, 300)}`);
    }
  };
  return {
    gateways,
    tally,
    async send(call, gateway) {
      const request: SentRequest = { gateway, sentAt: Date.now(), answeredAt: null };
      const number = tally.requests.push(request) - 1;
      const headers = { ...call.headers, 'User-Agent': `${AGENT['User-Agent']} mark=${mark}-${number}` };
      const start = performance.now();
      const seen = await sendCall(gateways[gateway] ?? '', { ...call, headers });
      // The log has a count of what a gateway refuses again and again.
      if (seen.answered && seen.status !== 429 && seen.status !== 503) request.answeredAt = Date.now();
      check(call, gateway, seen, performance.now() - start, request.sentAt);
      return seen;
    },
  };
}

interface TolerantClient {
  client: Client;
  note: Note;
  /** Everything that was not as promised. */
  faults: string[];
}

/**
 * How much longer than its deadline a request may take, in ms: all that `send` waits for. How long a request takes is
 * not what such a client is for.
 */
const STANDSTILL_MS = 12_000;

/** A client that may be refused at any time: it holds only contents and documented answers against the gateways. */
export async function createTolerantClient(
  gateways: string[],
  { mayBreakOff }: { mayBreakOff: boolean },
): Promise<TolerantClient> {
  const faults: string[] = [];
  const note: Note = (kind, text) => void faults.push(`${kind}: ${text}`);
  const client = createClient({
    gateways,
    note,
    standstillMs: STANDSTILL_MS,
    mark: `t${crypto.randomUUID().slice(0, 8)}`,
    contract: await loadContract(gateways[0] ?? ''),
    mayBreakOff: () => mayBreakOff,
    mayBeRefused: () => true,
  });
  return { client, note, faults };
}

/** Repeats what is refused, for audits that follow a fault. */
export const insisting = (client: Client): Client => ({
  ...client,
  send: (call, gateway) => insist(() => client.send(call, gateway)),
});
