import { LRUCache } from 'lru-cache';
import { backoffMs } from '../../backoff.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import type { EventMessage, EventStream } from '../../ports/event-stream.ts';
import { createPause } from '../../sweep/pause.ts';

/** Number of finished messages whose ids are remembered. */
const REMEMBERED_IDS = 10_000;

/** Waits after a handler has failed, in ms: they double from the first to the last. */
const BACKOFF = { firstMs: 250, lastMs: 5_000 };

interface Pending extends EventMessage {
  published: PromiseWithResolvers<void>;
}

/**
 * The event stream of one process. The stream keeps nothing that its process would lose: `publish` resolves only when a
 * consumer is done with the message, so that its publisher's own bound is the bound of all.
 */
export function createInProcessEventStream(log: Logger): EventStream {
  const waiting: Pending[] = [];
  const unfinished = new Map<string, Pending>();
  const done = new LRUCache<string, true>({ max: REMEMBERED_IDS });
  const idle = new Set<() => void>();
  let closed = false;

  const wakeAll = (): void => {
    for (const wake of idle) wake();
    idle.clear();
  };

  const finish = ({ id, published }: Pending): void => {
    unfinished.delete(id);
    done.set(id, true);
    published.resolve();
  };

  return {
    async publish(id, bytes) {
      if (closed) throw errors.unavailable('event stream');
      if (done.has(id)) return;
      const known = unfinished.get(id);
      if (known !== undefined) return await known.published.promise;
      const message: Pending = { id, bytes, published: Promise.withResolvers<void>() };
      unfinished.set(id, message);
      waiting.push(message);
      wakeAll();
      await message.published.promise;
    },
    async consume({ maxMessages }, handler) {
      const pause = createPause();
      let wake = (): void => undefined;
      let draining = false;
      const work = (): Promise<void> =>
        new Promise((resolve) => {
          wake = resolve;
          idle.add(resolve);
        });

      /** Whether the handler succeeded. */
      const handOver = async (): Promise<boolean> => {
        const taken = waiting.splice(0, maxMessages);
        try {
          await handler(taken.map(({ id, bytes }) => ({ id, bytes })));
        } catch (error) {
          log.warn({ error }, 'events could not be consumed; they come again');
          waiting.unshift(...taken);
          wakeAll();
          return false;
        }
        taken.forEach(finish);
        return true;
      };
      const loop = (async () => {
        for (let failures = 0; !draining; ) {
          if (waiting.length === 0) await work();
          else if (await handOver()) failures = 0;
          else if (!draining) await pause.wait(backoffMs(++failures, BACKOFF));
        }
      })();
      return {
        async drain() {
          draining = true;
          wake();
          pause.cutShort();
          await loop;
          idle.delete(wake);
        },
      };
    },
    async waiting() {
      if (closed) throw errors.unavailable('event stream');
      return unfinished.size;
    },
    async check() {
      if (closed) throw errors.unavailable('event stream');
    },
    async close() {
      closed = true;
      for (const { published } of unfinished.values()) published.reject(errors.unavailable('event stream'));
      unfinished.clear();
      waiting.length = 0;
    },
  };
}
