import { issueOfKeyName } from '../../../../shared/wording/key-issue.ts';
import { inSeconds } from '../../../../shared/wording/relative-time.ts';
import { language, refusals as texts } from '../texts/page-language.ts';

/** The answer to a request that was refused (specification 22.1), so far as it has come from Perch. */
export interface Refusal {
  readonly code?: string;
  readonly message?: string;
  readonly details?: ReadonlyArray<{ readonly field: string; readonly message: string }>;
}

/**
 * Why a request was refused, an issue a line. The API's own messages are for programs and in English: they stay where the
 * texts have none of their own for the code or the field.
 * @param answer `null` when it is no JSON
 */
export function reasonOf(status: number, answer: Refusal | null, retryAfter: string | null): string {
  const seconds = Number(retryAfter);
  if (status === 429 && seconds > 0) return texts.tooMany(inSeconds(seconds, language));
  const { code = '', message = '', details = [] } = answer ?? {};
  const said = texts.codes[code];
  if (details.length === 0) return said ?? (message || texts.answered(status));
  // A rejected content's details name the link or the program in it.
  const isNamed = code === 'CONTENT_REJECTED';
  return details
    .map(({ field, message: issue }) => sayFault(field, isNamed ? issue : (said ?? issue)))
    .join('\n');
}

/** A fault of a field of the API; `otherwise` where the texts have no words of their own for it. */
const sayFault = (field: string, otherwise: string): string =>
  `${texts.fields[field] ?? field}: ${texts.faults[field] ?? otherwise}`;

/**
 * Checks the name of a key before anything is sent. A browser would send `.` and `..` to another address.
 * @throws Error why no store can have it, in the words of a refusal
 */
export function assertKeyName(key: string): void {
  const issue = issueOfKeyName(key);
  if (issue !== null) throw new Error(sayFault('key', issue));
}

/** `reasonOf` for an answer of `fetch`. */
export async function reasonIn(response: Response): Promise<string> {
  const answer = (await response.json().catch(() => null)) as Refusal | null;
  return reasonOf(response.status, answer, response.headers.get('Retry-After'));
}
