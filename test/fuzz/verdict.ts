import { issueOf } from '../../services/gateway/auth/unlock-form.ts';
import { routeOf } from '../openapi/routes.ts';
import { type ExchangeRecord, validateExchange } from '../openapi/validator.ts';
import type { Plan } from './plan.ts';

/** Answers that no request gets which the document allows, from who may make it. */
const REFUSALS = new Set([400, 401, 403, 405, 415, 422]);

/** Operations that a request may miss which is as documented: there is only what there is. */
const MAY_MISS = /^\/(?:(?:api\/)?sitemap\.xml|assets\/|metrics\/known-host|api\/admin\/items\/.*\/bytes$)/;

/** In what an answer is not as documented; nothing when it is. */
export function faultsOf(plan: Plan, exchange: ExchangeRecord): string[] {
  const { status } = exchange;
  const undocumented = validateExchange(exchange);
  // A browser is led back to the form, which tells what was wrong.
  const isLedBack = status === 303 && issueOf(exchange.headers.get('set-cookie')) !== null;
  const misses = status === 404 && !MAY_MISS.test(plan.template);
  return [
    ...(status >= 500 ? [`${status} is our fault`] : []),
    ...(undocumented === null ? [] : [undocumented]),
    ...(plan.expected === 'accepted' && (REFUSALS.has(status) || misses)
      ? [`the document allows the request, and it was answered ${status}`]
      : []),
    ...(plan.expected === 'refused' && status < 400 && !isLedBack
      ? [`the document does not allow the request, and it was answered ${status}`]
      : []),
  ];
}

/** How often each operation gave each status. */
export interface Tally {
  add(exchange: ExchangeRecord): void;
  count(operation: string, status: number): number;
  /** A line for each operation. */
  table(operations: readonly string[]): string;
}

export function createTally(): Tally {
  const counts = new Map<string, Map<number, number>>();
  return {
    add({ method, path, status }) {
      const name = `${method} ${routeOf(path, method)?.template ?? '(elsewhere)'}`;
      const found = counts.get(name) ?? new Map<number, number>();
      counts.set(name, found.set(status, (found.get(status) ?? 0) + 1));
    },
    count: (operation, status) => counts.get(operation)?.get(status) ?? 0,
    table: (operations) =>
      operations
        .map((name) => {
          const found = [...(counts.get(name) ?? [])].sort(([a], [b]) => a - b);
          return `${name.padEnd(45)} ${found.map(([status, count]) => `${status}: ${count}`).join('  ')}`;
        })
        .join('\n'),
  };
}
