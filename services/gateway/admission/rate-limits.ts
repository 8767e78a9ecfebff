import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import { type Cache, resetSeconds, type WindowRule, type WindowState } from '../../../shared/ports/cache.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { Blocklist } from './blocklist.ts';

/** Groups of requests that are limited by client address (specification 21.1). Reports are counted among the uploads. */
export type RateLimitName = 'uploads' | 'reports' | 'reads' | 'changes' | 'tokens' | 'previews';

/** A rate limit, and how much of its current window a client has used. */
export interface LimitWindow {
  name: Exclude<RateLimitName, 'reports'>;
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
   * Counts the request, unless it was `counted` before, as the fast path does with reads, and notes the headers its answer will carry.
   * @throws CLIENT_BLOCKED for all but reads and reports of a blocked client, before it counts; RATE_LIMITED above the limit.
   */
  admit(context: RequestContext, what: RateLimitName, counted?: WindowState | null): Promise<void>;
  /**
   * Refuses a client that this process already knows to be over the limit, without asking the cache: for callers that
   * begin their work before `admit` has answered.
   * @throws RATE_LIMITED
   */
  refuseKnown(context: RequestContext, what: RateLimitName): void;
  /** Whether `refuseKnown` would refuse requests of a client. */
  refuses(client: string, what: RateLimitName): boolean;
  /** Counts requests of a client: its window, the last of them included; `null` where they are not limited. */
  count(client: string, what: RateLimitName, times: number): Promise<WindowState | null>;
  /** Requests of a client in a window; 0 where the operator has turned the window off. */
  limitOf(what: RateLimitName): number;
  /** The client's use of each limit. Counts nothing. */
  windowsOf(context: RequestContext): Promise<LimitWindow[]>;
}

interface Rule extends WindowRule {
  /** The counted requests, in words for the error message. */
  counted: string;
}

const ruleOf = (name: string, limit: number, seconds: number, counted: string): Rule => ({
  name,
  limit,
  seconds,
  counted,
});

/** Windows, in seconds. */
const [HOUR, MINUTE] = [3_600, 60];

export function createLimits(config: Config, cache: Cache, blocklist: Pick<Blocklist, 'admit'>): Limits {
  const uploads = ruleOf('uploads', config.uploadsPerHour, HOUR, 'creates, reports and new owner tokens');
  const rules: Record<RateLimitName, Rule> = {
    uploads,
    // Blocked clients, too, may tell of what should not be here.
    reports: uploads,
    reads: ruleOf('reads', config.readsPerMinute, MINUTE, 'reads'),
    changes: ruleOf('changes', config.changesPerHour, HOUR, 'changes'),
    tokens: ruleOf('tokens', config.ownerTokensPerMinute, MINUTE, 'new owner tokens by GET'),
    previews: ruleOf('previews', config.previewsPerMinute, MINUTE, 'previews'),
  };
  // A client over its limit stays so until the window ends: no need to ask the cache again for each refusal.
  const refused = new LRUCache<string, number>({ max: 50_000 });
  const keyOf = (client: string, what: RateLimitName): string => `${what} ${client}`;

  /** Milliseconds for which a client is known to be over a limit, 0 when it is not. */
  const refusedMs = (client: string, what: RateLimitName): number =>
    refused.size === 0 ? 0 : Math.max(0, (refused.get(keyOf(client, what)) ?? 0) - steadyNow());
  const refuseKnown = (context: RequestContext, what: RateLimitName): void => {
    // One that was counted may have come before those that went over the limit.
    if (countedBefore(context, what) !== null) return;
    const resetMs = refusedMs(context.clientKey, what);
    const rule = rules[what];
    if (resetMs > 0) refuse(context, rule, { hits: rule.limit + 1, resetMs });
  };

  return {
    refuseKnown,
    limitOf: (what) => rules[what].limit,
    refuses: (client, what) => refusedMs(client, what) > 0,
    count: async (client, what, times) =>
      rules[what].limit === 0 ? null : await cache.hit(rules[what], client, times),
    async admit(context, what, counted = countedBefore(context, what)) {
      if (what !== 'reads' && what !== 'reports') await blocklist.admit(context);
      const rule = rules[what];
      if (rule.limit === 0) return;
      if (counted === null) refuseKnown(context, what);
      const state = counted ?? (await cache.hit(rule, context.clientKey));
      if (state.hits > rule.limit) {
        refused.set(keyOf(context.clientKey, what), steadyNow() + state.resetMs);
        refuse(context, rule, state);
      }
      note(context, rule, state);
    },
    windowsOf: (context) =>
      Promise.all(
        (['uploads', 'reads', 'changes', 'tokens', 'previews'] as const).map(async (name) => {
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

/** The window in which the fast path has counted a read. */
const countedBefore = ({ fastPathRead }: RequestContext, what: RateLimitName): WindowState | null =>
  what === 'reads' ? (fastPathRead?.window ?? null) : null;

function note(context: RequestContext, { limit }: WindowRule, state: WindowState): void {
  const remaining = Math.max(0, limit - state.hits);
  context.rateHeaders = { limit, remaining, resetSeconds: resetSeconds(state) };
}

function refuse(context: RequestContext, rule: Rule, state: WindowState): never {
  note(context, rule, state);
  throw errors.rateLimited(rule.counted, resetSeconds(state));
}
