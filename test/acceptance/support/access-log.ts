import { nanoid } from 'nanoid';
import { until } from '../../faults/waiting.ts';
import { ADMIN } from '../../shared-instance.ts';
import { type Client, jsonOf, type RequestOptions, USER_AGENT } from './client.ts';

/** An entry as GET /api/admin/access shows it. */
export interface LoggedRequest {
  requestId: string;
  clientIp: string;
  userAgent: string | null;
  method: string;
  path: string;
  query: string;
  status: number;
  durationMs: number;
  referer: string | null;
  resourceType: string | null;
  resourceNamespace: string | null;
  resourceId: string | null;
  createdAt: string;
}

/** The newest thousand entries of the log that pass a filter, oldest first. */
export async function readAccessLog(
  client: Client,
  query: Record<string, string> = {},
): Promise<LoggedRequest[]> {
  const response = await client.request('/api/admin/access', {
    query: { limit: '1000', ...query },
    headers: ADMIN,
  });
  return (await jsonOf<LoggedRequest[]>(response)).toReversed();
}

export interface Witness extends Client {
  /** The User-Agent that tells its requests from all others. */
  userAgent: string;
  /**
   * Waits until all that it has asked for is logged, and returns those requests in the order of their answers.
   * @param neverLogged how many of its requests are in no log, as those for assets
   */
  logged(neverLogged?: number): Promise<LoggedRequest[]>;
}

/** A client whose requests can be found in the log. Answers to them must have come before `logged` is called. */
export function witness(client: Client): Witness {
  const userAgent = `${USER_AGENT} ${nanoid()}`;
  const answered: string[] = [];
  const request = async (path: string, options: RequestOptions = {}): Promise<Response> => {
    const headers = { 'User-Agent': userAgent, ...options.headers };
    const response = await client.request(path, { ...options, headers });
    answered.push(response.headers.get('X-Request-Id') ?? '');
    return response;
  };
  // The log’s own order does not tell two apart that came within a millisecond.
  const place = ({ requestId }: LoggedRequest): number => answered.indexOf(requestId);
  return {
    ...client,
    userAgent,
    request,
    async logged(neverLogged = 0) {
      const mark = `last-${nanoid()}`;
      let found: LoggedRequest[] = [];
      // Two requests one after the other: a second entry of an earlier request is there by the time the last one is logged.
      for (const path of [`/api/${mark}-1`, `/api/${mark}-2`]) {
        await (await request(path)).arrayBuffer();
        // A batch can be later than those after it: one that its consumer did not acknowledge comes again after ten seconds.
        await until(`all up to ${path} is logged`, async () => {
          found = await readAccessLog(client, { ua: userAgent });
          const isThere = found.some((entry) => entry.path === path);
          return isThere && found.length >= answered.length - neverLogged;
        });
      }
      return found.filter(({ path }) => !path.includes(mark)).toSorted((a, b) => place(a) - place(b));
    },
  };
}

/** A request and its outcome, in a line. */
export const lineOf = (entry: LoggedRequest): string => {
  const { method, path, query, status, resourceType, resourceNamespace, resourceId } = entry;
  const item = resourceType === null ? '-' : `${resourceType} ${resourceNamespace}/${resourceId}`;
  return `${method} ${path}${query === '' ? '' : `?${query}`} ${status} ${item}`;
};
