import { createHash, timingSafeEqual } from 'node:crypto';
import { errors } from '../../../shared/errors.ts';
import { type Cache, resetSeconds, type WindowRule } from '../../../shared/ports/cache.ts';
import type { Exchange } from '../http/exchange.ts';
import { headerText } from '../http/header-text.ts';

/** Ten wrong tries per address in 15 minutes (shapes.md, Admin). */
const WRONG_PASSWORDS: WindowRule = { name: 'admin-passwords', limit: 10, seconds: 900 };

export interface AdminAccess {
  /**
   * Resolves when the request carries the admin password in `X-Admin-Password`.
   * @throws ADMIN_FORBIDDEN when it is missing, wrong or not configured, RATE_LIMITED after too many wrong ones, then
   * also for the right one
   */
  admit(exchange: Exchange): Promise<void>;
}

/** `password` is the operator's; `null` turns admin off. */
export function createAdminAccess(cache: Cache, password: string | null): AdminAccess {
  const expected = password === null ? null : digest(password);
  return {
    async admit(exchange) {
      const given = headerText(exchange.request.headers, 'x-admin-password') ?? '';
      if (expected === null || given === '') throw errors.adminForbidden();
      // The try is counted before it is made: of many at once no more than the limit get an answer.
      const state = await cache.hit(WRONG_PASSWORDS, exchange.clientKey);
      if (state.hits > WRONG_PASSWORDS.limit) {
        throw errors.rateLimited('wrong admin passwords', resetSeconds(state));
      }
      if (!timingSafeEqual(digest(given), expected)) throw errors.adminForbidden();
      await cache.giveBack(WRONG_PASSWORDS, exchange.clientKey);
    },
  };
}

/** Of equal length whatever the password's, as the comparison needs. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
