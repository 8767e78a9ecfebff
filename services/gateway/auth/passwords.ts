import { createHmac, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import { errors } from '../../../shared/errors.ts';
import { createFairSemaphore } from '../../../shared/fair-queue.ts';
import { type ItemRef, itemKey, LIMITS } from '../../../shared/items/item.ts';
import type { PerchError } from '../../../shared/perch-error.ts';
import { type Cache, resetSeconds, type WindowRule, type WindowState } from '../../../shared/ports/cache.ts';
import { createSingleFlight } from '../../../shared/single-flight.ts';

/** Ten wrong tries per item and address in 15 minutes (specification 11.3). */
export const PASSWORD_ATTEMPTS: WindowRule = { name: 'passwords', limit: 10, seconds: 900 };

/** Computations at once: each keeps a core busy for tens of milliseconds, and needs PASSWORD_HASH_KB of memory. */
const AT_ONCE = availableParallelism();

/** Most that wait for their turn; a client may have half of them. */
const MAX_WAITING = 64;

/** Longest wait for a turn, in ms. */
const MAX_WAIT_MS = 5_000;

export interface Passwords {
  /**
   * Hashes with argon2id in two passes, which with the default memory is OWASP's recommendation. A hash carries its cost,
   * so another setting leaves earlier ones valid.
   * @throws UNAVAILABLE when too many wait
   */
  hash(password: string, client: string): Promise<string>;
  /**
   * Resolves when the password opens the item. Wrong ones are counted by `client`: an address, or the /64 of an IPv6 one.
   * @throws PASSWORD_WRONG, or RATE_LIMITED after too many wrong ones, then also for the right one; UNAVAILABLE when too
   * many wait
   */
  verify(item: ItemRef, passwordHash: string, password: string, client: string): Promise<void>;
}

interface PasswordDependencies {
  cache: Cache;
  config: Pick<Config, 'passwordHashKib'>;
  /** Counts a computation that is refused, and makes the error for it. */
  refuse(): PerchError;
}

/**
 * A check costs tens of milliseconds on purpose, so correct passwords are cached for a while, as a keyed digest that is of
 * no use outside this process. Concurrent checks of one password share a computation (single-flight), and clients take turns.
 */
export function createPasswords({ cache, config, refuse }: PasswordDependencies): Passwords {
  const permits = createFairSemaphore(AT_ONCE, MAX_WAITING);
  const inTurn = <T>(client: string, compute: () => Promise<T>): Promise<T> =>
    permits.run({ client, limitMs: MAX_WAIT_MS, refuse }, compute);
  const key = randomBytes(32);
  const right = new LRUCache<string, true>({ max: 10_000, ttl: 600_000 });
  const share = createSingleFlight<boolean>();

  const check = async (
    digest: string,
    window: string,
    passwordHash: string,
    password: string,
    client: string,
  ): Promise<boolean> => {
    // An attempt is counted before the check: of many concurrent ones, no more than the limit are checked.
    const state = await cache.hit(PASSWORD_ATTEMPTS, window);
    if (state.hits > PASSWORD_ATTEMPTS.limit) throw lockedOut(state);
    let isWrong = false;
    try {
      isWrong = !(await inTurn(client, () => Bun.password.verify(password, passwordHash)));
    } finally {
      if (!isWrong) await cache.giveBack(PASSWORD_ATTEMPTS, window);
    }
    if (isWrong) return false;
    right.set(digest, true);
    return true;
  };

  return {
    hash: (password, client) =>
      inTurn(client, () =>
        Bun.password.hash(password, {
          algorithm: 'argon2id',
          memoryCost: config.passwordHashKib,
          timeCost: 2,
        }),
      ),
    async verify(item, passwordHash, password, client) {
      const window = `${client}:${itemKey(item)}`;
      const digest = createHmac('sha256', key).update(`${passwordHash}\n${password}`).digest('base64');
      if (right.has(digest)) {
        const state = await cache.peek(PASSWORD_ATTEMPTS, window);
        if (state.hits >= PASSWORD_ATTEMPTS.limit) throw lockedOut(state);
        return;
      }
      // A character takes at most two of a string's units. A text longer than any password is wrong also when cut off.
      const guess = password.slice(0, 2 * LIMITS.passwordCharacters + 1);
      const isRight = await share(`${client} ${digest}`, () =>
        check(digest, window, passwordHash, guess, client),
      );
      if (!isRight) throw errors.passwordWrong();
    },
  };
}

function lockedOut(state: WindowState): Error {
  return errors.rateLimited('wrong passwords for this item', resetSeconds(state));
}
