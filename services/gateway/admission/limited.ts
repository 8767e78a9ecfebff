import { Elysia } from 'elysia';
import { currentContext, requestScope } from '../http/request-context.ts';
import type { Limits, RateLimitName } from './rate-limits.ts';

/**
 * For the routes of a slice: `context`, and the option `limit`, which counts a request before its handler runs.
 * A route whose limit depends on the item (`admitChange`, `answerRead`) does not use the option.
 */
export const limited = ({ limits }: { limits: Limits }) =>
  new Elysia({ name: 'limited' })
    .use(requestScope)
    .macro({ limit: (what: RateLimitName) => ({ beforeHandle: () => limits.admit(currentContext(), what) }) })
    .as('scoped');
