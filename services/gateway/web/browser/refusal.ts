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
  return details
    .map((issue) => {
      const fault = texts.faults[issue.field] ?? said ?? issue.message;
      return `${texts.fields[issue.field] ?? issue.field}: ${fault}`;
    })
    .join('\n');
}

/** `reasonOf` for an answer of `fetch`. */
export async function reasonIn(response: Response): Promise<string> {
  const answer = (await response.json().catch(() => null)) as Refusal | null;
  return reasonOf(response.status, answer, response.headers.get('Retry-After'));
}
