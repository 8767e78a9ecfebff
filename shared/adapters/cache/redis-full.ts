import type { Logger } from '../../logger.ts';
import { throttle } from '../../throttle.ts';

/**
 * Lua for the scripts: whether a command run by `pcall` was refused because Redis is at `maxmemory`. Commands that free
 * memory go on then; and once a script has run one, so do all others in it, as Redis does not stop it halfway.
 */
export const LUA_IS_FULL = `
local function isFull(reply)
  return type(reply) == 'table' and reply.err and string.find(reply.err, 'OOM command', 1, true)
end`;

/** Whether a command was refused because Redis is at `maxmemory`: there is one, and it has not run. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('OOM command');

/** At most one line in so many ms says that Redis is full. */
const NOTICE_EVERY_MS = 10_000;

/** Says in the log that Redis is full, now and then: it is noticed with every request. */
export function createFullNotice(log: Logger): () => void {
  return throttle(NOTICE_EVERY_MS, () =>
    log.error('the cache is full: what is not in it yet stays out, and views wait; give Redis more memory'),
  );
}
