import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import { errors } from '../../../shared/errors.ts';
import { type ItemRef, itemKey, LIMITS } from '../../../shared/items/item.ts';
import { type Cache, resetSeconds, type WindowRule, type WindowState } from '../../../shared/ports/cache.ts';
import { createSingleFlight } from '../../../shared/single-flight.ts';

/** Ten wrong tries per item and address in 15 minutes (specification 11.3). */
export const PASSWORD_ATTEMPTS: WindowRule = { name: 'passwords', limit: 10, seconds: 900 };

/** Hashes with argon2id in two passes, which with the default memory is OWASP's recommendation. A hash carries its cost, so another setting leaves earlier ones valid. */
export const hashPassword = (
  password: string,
  { passwordHashKib }: Pick<Config, 'passwordHashKib'>,
): Promise<string> =>
  Bun.password.hash(password, { algorithm: 'argon2id', memoryCost: passwordHashKib, timeCost: 2 });

export interface Passwords {
  /**
   * Resolves when the password opens the item.
   * @throws PASSWORD_WRONG, or RATE_LIMITED after too many wrong ones, then also for the right one.
   */
  verify(item: ItemRef, passwordHash: string, password: string, clientIp: string): Promise<void>;
}

/**
 * A check costs tens of milliseconds on purpose, so correct passwords are cached for a while, as a keyed digest that is of
 * no use outside this process. Concurrent checks of one password share a computation (single-flight).
 */
export function createPasswords(cache: Cache): Passwords {
  const key = randomBytes(32);
  const right = new LRUCache<string, true>({ max: 10_000, ttl: 600_000 });
  const share = createSingleFlight<boolean>();

  const check = async (
    digest: string,
    window: string,
    passwordHash: string,
    password: string,
  ): Promise<boolean> => {
    // An attempt is counted before the check: of many concurrent ones, no more than the limit are checked.
    const state = await cache.hit(PASSWORD_ATTEMPTS, window);
    if (state.hits > PASSWORD_ATTEMPTS.limit) throw lockedOut(state);
    if (!(await Bun.password.verify(password, passwordHash))) return false;
    await cache.giveBack(PASSWORD_ATTEMPTS, window);
    right.set(digest, true);
    return true;
  };

  return {
    async verify(item, passwordHash, password, clientIp) {
      const window = `${clientIp}:${itemKey(item)}`;
      const digest = createHmac('sha256', key).update(`${passwordHash}\n${password}`).digest('base64');
      if (right.has(digest)) {
        const state = await cache.peek(PASSWORD_ATTEMPTS, window);
        if (state.hits >= PASSWORD_ATTEMPTS.limit) throw lockedOut(state);
        return;
      }
      // A character takes at most two of a string's units. A text longer than any password is wrong also when cut off.
      const guess = password.slice(0, 2 * LIMITS.passwordCharacters + 1);
      const isRight = await share(`${clientIp} ${digest}`, () => check(digest, window, passwordHash, guess));
      if (!isRight) throw errors.passwordWrong();
    },
  };
}

function lockedOut(state: WindowState): Error {
  return errors.rateLimited('wrong passwords for this item', resetSeconds(state));
}
