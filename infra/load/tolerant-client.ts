import { type Client, createClient } from './client.ts';
import { loadContract } from './contract.ts';
import type { Note } from './findings.ts';
import { insist } from './send.ts';

export interface TolerantClient {
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
    ...{ gateways, note, standstillMs: STANDSTILL_MS, mark: `t${crypto.randomUUID().slice(0, 8)}` },
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
