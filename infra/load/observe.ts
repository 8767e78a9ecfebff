import type { Client } from './client.ts';
import type { Read, Target } from './kinds/kind.ts';
import type { State } from './ledger.ts';
import type { Seen } from './send.ts';

/** The result of a read: a state, a refusal, or an answer that can never be right. */
export type Found = { state: State; status: number } | { refused: Seen } | { wrong: string };

/** Reads through a gateway, and compares byte for byte with the version that the answer says it is. */
export async function observe(client: Client, read: Read, gateway: number): Promise<Found> {
  const seen = await client.send(read.call, gateway);
  const about = `${read.call.method} ${read.call.path}`;
  if (!seen.answered || seen.status >= 500) return { refused: seen };
  if (seen.status === 404 || seen.status === 410) return { state: 'absent', status: seen.status };
  if (seen.status !== 200) return { wrong: `${about} got ${seen.status} ${seen.text.slice(0, 200)}` };
  const part = partOf(read, seen.text);
  const version = read.versionIn(part);
  if (version === null) return { wrong: `${about} holds what nobody sent: ${part.slice(0, 200)}` };
  const expected = read.expected(version);
  if (part === expected) return { state: version, status: 200 };
  return {
    wrong: `${about} says it is version ${version}, but has ${part.length} of ${expected.length} characters, or others`,
  };
}

function partOf(read: Read, text: string): string {
  try {
    return read.take(text);
  } catch {
    return text;
  }
}

/**
 * Checks the status of an absent item: 404 if it never existed or is hidden, 410 if it was removed from `public`
 * (specification 2.6).
 */
export function absenceFault(read: Read, target: Target, status: number): string | null {
  const { existed } = target.register;
  const isTold = target.namespace === 'public' && target.key === '';
  if (!read.isShort || (isTold && existed === null)) return null;
  const wanted = isTold && existed ? 410 : 404;
  return status === wanted ? null : `${read.call.path} answers ${status} where ${wanted} is right`;
}
