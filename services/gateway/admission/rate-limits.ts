import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import { errors } from '../../../shared/errors.ts';
import { type Cache, resetSeconds, type WindowRule, type WindowState } from '../../../shared/ports/cache.ts';
import type { RequestContext } from '../http/request-context.ts';

/** Groups of requests that are limited by client address (specification 21.1). */
export type Limited = 'uploads' | 'reads' | 'changes' | 'tokens';

/** A rate limit, and how much of its current window a client has used. */
export interface LimitWindow {
  name: Limited;
  /** The counted requests, in words. */
  counted: string;
  /** Hits in a window; `null` where the operator has turned the window off. */
  limit: number | null;
  windowSeconds: number;
  used: number;
  remaining: number | null;
  /** Until the window ends, or its whole length while none is open. */
  resetSeconds: number;
}

export interface Limits {
  /**
   * Counts the request and notes the headers its answer will carry.
   * @throws RATE_LIMITED above the limit.
   */
  admit(context: RequestContext, what: Limited): Promise<void>;
  /**
   * Refuses a client that this process already knows to be over the limit, without asking the cache: for callers that
   * begin their work before `admit` has answered.
   * @throws RATE_LIMITED
   */
  refuseKnown(context: RequestContext, what: Limited): void;
  /** The client's use of each limit. Counts nothing. */
  windowsOf(context: RequestContext): Promise<LimitWindow[]>;
}

interface Rule extends WindowRule {
  /** The counted requests, in words for the error message. */
  counted: string;
}

export function createLimits(config: Config, cache: Cache): Limits {
  const rules: Record<Limited, Rule> = {
    uploads: {
      ...{ name: 'uploads', limit: config.uploadsPerHour, seconds: 3600 },
      counted: 'creates, reports and new owner tokens',
    },
    reads: { name: 'reads', limit: config.readsPerMinute, seconds: 60, counted: 'reads' },
    changes: { name: 'changes', limit: config.changesPerHour, seconds: 3600, counted: 'changes' },
    tokens: {
      ...{ name: 'tokens', limit: config.ownerTokensPerMinute, seconds: 60 },
      counted: 'new owner tokens by GET',
    },
  };
  // A client over its limit stays so until the window ends: no need to ask the cache again for each refusal.
  const refused = new LRUCache<string, number>({ max: 50_000 });
  const keyOf = (context: RequestContext, what: Limited): string => `${what} ${context.clientKey}`;

  const refuseKnown = (context: RequestContext, what: Limited): void => {
    const until = refused.get(keyOf(context, what));
    if (until === undefined || until <= Date.now()) return;
    const rule = rules[what];
    refuse(context, rule, { hits: rule.limit + 1, resetMs: until - Date.now() });
  };

  return {
    refuseKnown,
    async admit(context, what) {
      const rule = rules[what];
      if (rule.limit === 0) return;
      refuseKnown(context, what);
      const state = await cache.hit(rule, context.clientKey);
      if (state.hits > rule.limit) {
        refused.set(keyOf(context, what), Date.now() + state.resetMs);
        refuse(context, rule, state);
      }
      note(context, rule, state);
    },
    windowsOf: (context) =>
      Promise.all(
        (['uploads', 'reads', 'changes', 'tokens'] as const).map(async (name) => {
          const { limit, seconds, counted } = rules[name];
          const fixed = { name, counted, windowSeconds: seconds };
          if (limit === 0) return { ...fixed, limit: null, used: 0, remaining: null, resetSeconds: seconds };
          const state = await cache.peek(rules[name], context.clientKey);
          const remaining = Math.max(0, limit - state.hits);
          return { ...fixed, limit, used: state.hits, remaining, resetSeconds: resetSeconds(state) };
        }),
      ),
  };
}

function note(context: RequestContext, { limit }: WindowRule, state: WindowState): void {
  const remaining = Math.max(0, limit - state.hits);
  context.rateHeaders = { limit, remaining, resetSeconds: resetSeconds(state) };
}

function refuse(context: RequestContext, rule: Rule, state: WindowState): never {
  note(context, rule, state);
  throw errors.rateLimited(rule.counted, resetSeconds(state));
}
