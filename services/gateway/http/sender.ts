import type { RequestContext } from './request-context.ts';
import { copyOfSlice, headerText } from './text.ts';

/** Characters of a User-Agent that are kept; the rest is cut off. */
const USER_AGENT_KEPT = 500;

/** Where a request came from, as it is stored with what it has made. */
export interface Sender {
  clientIp: string;
  userAgent: string | null;
}

export function senderOf({ request, clientIp }: Pick<RequestContext, 'request' | 'clientIp'>): Sender {
  // PostgreSQL's UTF-8 holds no halves of surrogate pairs; a header holds no NUL.
  return { clientIp, userAgent: userAgentOf(request.headers)?.toWellFormed() ?? null };
}

/** The client's name for itself, as far as it is kept. */
export function userAgentOf(headers: Headers): string | null {
  const text = headerText(headers, 'user-agent');
  if (text === null || text.length <= USER_AGENT_KEPT) return text;
  return copyOfSlice(text.slice(0, USER_AGENT_KEPT));
}
