import type { ItemRef } from '../../../shared/items/item.ts';

/** The fault of the last try at a password form: the password was wrong, or too many were before it. */
export type UnlockIssue = 'wrong' | { lockedSeconds: number };

const NAME = 'perch_unlock_issue';
/** Only for the way back to the form: one that is opened later says nothing. */
const LIFE_SECONDS = 10;
const COOKIE = new RegExp(`(?:^|;\\s*)${NAME}=(?:(wrong)|locked-(\\d{1,6}))(?=;|$)`);

/** A Set-Cookie value that tells the form of an item, to which the browser is led back, what was wrong. */
export const issueCookie = ({ namespace, id }: ItemRef, issue: UnlockIssue): string =>
  `${NAME}=${issue === 'wrong' ? issue : `locked-${issue.lockedSeconds}`}; Path=/${namespace}/${id}; Max-Age=${LIFE_SECONDS}; HttpOnly; SameSite=Lax`;

/** The issue that a request's cookies tell. Made up ones show their sender no more than that sentence. */
export function issueOf(cookies: string | null): UnlockIssue | null {
  const [, wrong, seconds] = COOKIE.exec(cookies ?? '') ?? [];
  if (wrong !== undefined) return 'wrong';
  return seconds === undefined ? null : { lockedSeconds: Number(seconds) };
}
