import type { Logger } from '../../logger.ts';
import { throttle } from '../../throttle.ts';

/**
 * Lua for the scripts: whether a command run by `pcall` was refused because Redis is at `maxmemory`. Redis still runs
 * commands that free memory. After a script has run one of these, Redis runs all further commands of it, too, as it stops
 * no script halfway.
 */
export const LUA_IS_FULL = `
local function isFull(reply)
  return type(reply) == 'table' and reply.err and string.find(reply.err, 'OOM command', 1, true)
end`;

/** Whether a command was refused because Redis is at `maxmemory`: Redis answers, and the command has not run. */
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
