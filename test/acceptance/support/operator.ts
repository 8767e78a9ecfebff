import { ADMIN, ADMIN_PASSWORD } from '../../shared-instance.ts';
import type { LoggedRequest } from './access-log.ts';
import { type ListPart, listOf } from './admin-list.ts';
import { type Client, jsonOf, type RequestOptions } from './client.ts';
import { type Perch, usePerch } from './perch.ts';

export const LOG = '/api/admin/access';
export const STATS = '/api/admin/access/stats';

export interface Entry extends LoggedRequest {
  id: number;
}

export type Page = ListPart<Entry>;

interface Statistics {
  totalRequests: number;
  uniqueIps: number;
  byStatus: Record<string, number>;
  byMethod: Record<string, number>;
  latencyMs: Record<'p50' | 'p95' | 'p99', number>;
  topPaths: Array<{ path: string; count: number; requests: number }>;
  topIps: Array<{ ip: string; count: number; requests: number }>;
  topUserAgents: Array<{ userAgent: string; count: number; requests: number }>;
  topReferers: Array<{ referer: string; count: number; requests: number }>;
  hourlyDistribution: Record<string, number>;
  perDay: Array<{ date: string; requests: number; uniqueIps: number }>;
}

export type Query = RequestOptions['query'];

export interface Operator {
  perch: Perch;
  ask(path: string, query?: Query): Promise<Response>;
  list(query?: Query): Promise<Page>;
  statistics(query?: Query): Promise<Statistics>;
}

/** A Perch with an operator, who asks all gateways in turn, from an address of their own. Ten days are kept. */
export function useOperator(): Operator {
  const env = {
    ADMIN_PASSWORD,
    TRUST_PROXY: '1',
    LIMIT_READS_PER_MINUTE: '1000000',
    LOG_RETENTION_DAYS: '10',
  };
  const perch = usePerch({ gateways: 2, analytics: 2, env });
  let turn = 0;
  const ask = (path: string, query: Query = {}): Promise<Response> => {
    const client: Client = turn++ % 2 === 0 ? perch : perch.last;
    return client.request(path, { query, headers: { ...ADMIN, 'X-Forwarded-For': '203.0.113.250' } });
  };
  return {
    perch,
    ask,
    list: async (query) => await listOf<Entry>(await ask(LOG, query)),
    statistics: async (query) => await jsonOf<Statistics>(await ask(STATS, query)),
  };
}
