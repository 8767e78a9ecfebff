import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { errors } from '../../../shared/errors.ts';
import { type Cache, resetSeconds, type WindowRule, type WindowState } from '../../../shared/ports/cache.ts';
import { createSingleFlight } from '../../../shared/single-flight.ts';
import { requireOwnPage, requireOwnScript } from '../http/own-page.ts';
import type { RequestContext } from '../http/request-context.ts';
import { headerText } from '../http/text.ts';
import type { AdminSecrets, AdminSession, AdminSessions } from './admin-session.ts';

/** Ten wrong tries per address in 15 minutes (specification 18.1). */
export const WRONG_PASSWORDS: WindowRule = { name: 'admin-passwords', limit: 10, seconds: 900 };

/** How long an address that has shown the password is taken for the operator's, in ms. */
const KNOWN_MS = 600_000;

/** The operator, as a request has shown to be theirs. */
export interface Operator {
  /** The session of a request with the cookie of a sign-in; `null`: it carries the password. */
  session: AdminSession | null;
}

export interface AdminAccess {
  /**
   * The operator, when the request carries the admin password in `X-Admin-Password`, or the cookie of a sign-in.
   * @throws CROSS_SITE_FORBIDDEN for what a page of another origin sends, which does not count; ADMIN_DISABLED when no
   * password is configured; ADMIN_UNAUTHORIZED when both are missing or wrong; RATE_LIMITED after too many wrong
   * passwords, then also for the right one
   */
  admit(context: RequestContext): Promise<Operator>;
  /** Resolves when a password that was typed into a form is right; else as `admit`, whose tries it shares. */
  checkPassword(context: RequestContext, password: string): Promise<void>;
}

export function createAdminAccess(
  cache: Cache,
  sessions: Pick<AdminSessions, 'find'>,
  { password }: Pick<AdminSecrets, 'password'>,
): AdminAccess {
  const expected = password === null ? null : digest(password);
  const known = new LRUCache<string, true>({ max: 10_000, ttl: KNOWN_MS });
  const share = createSingleFlight<void>();

  /** The try is counted before its outcome is told: of many at once no more than the limit get an answer. */
  const countTry = async (client: string): Promise<void> => {
    const state = await cache.hit(WRONG_PASSWORDS, client);
    if (state.hits > WRONG_PASSWORDS.limit) throw lockedOut(state);
  };
  const welcome = async (client: string): Promise<void> => {
    await countTry(client);
    await cache.giveBack(WRONG_PASSWORDS, client);
    known.set(client, true);
  };

  const checkPassword: AdminAccess['checkPassword'] = async (context, given) => {
    requireOwnPage(context);
    const { clientKey } = context;
    if (expected === null) throw errors.adminDisabled();
    if (given === '') throw errors.adminUnauthorized();
    if (!timingSafeEqual(digest(given), expected)) {
      await countTry(clientKey);
      throw errors.adminUnauthorized();
    }
    if (known.has(clientKey)) {
      const state = await cache.peek(WRONG_PASSWORDS, clientKey);
      if (state.hits >= WRONG_PASSWORDS.limit) throw lockedOut(state);
      return;
    }
    // The operator's own requests at once are one try: they must not lock the operator out.
    await share(clientKey, () => welcome(clientKey));
  };

  return {
    checkPassword,
    async admit(context) {
      const given = headerText(context.request.headers, 'x-admin-password') ?? '';
      if (given === '' && expected !== null) {
        requireOwnPage(context);
        const session = await sessions.find(context);
        if (session !== null) {
          if (context.method !== 'GET') requireOwnScript(context);
          return { session };
        }
      }
      await checkPassword(context, given);
      return { session: null };
    },
  };
}

const lockedOut = (state: WindowState): Error =>
  errors.rateLimited('wrong admin passwords', resetSeconds(state));

/** A hash, so that texts of any length are compared in constant time. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
