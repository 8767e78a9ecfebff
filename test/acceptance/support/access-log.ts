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

/** A batch of requests may come so long after a later one, in ms. */
const LATEST_MS = 5_000;

export interface Witness extends Client {
  /** The User-Agent that tells its requests from all others. */
  userAgent: string;
  /** Once all that it has asked for is logged: those requests, in the order of their answers, and no other. */
  logged(): Promise<LoggedRequest[]>;
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
    async logged() {
      const mark = `last-${nanoid()}`;
      let found: LoggedRequest[] = [];
      // Batches arrive in no certain order: one that was sent before may come after the last, but not twice as late.
      for (const path of [`/api/${mark}-1`, `/api/${mark}-2`]) {
        await (await request(path)).arrayBuffer();
        await until(`${path} is logged`, async () => {
          found = await readAccessLog(client, { ua: userAgent });
          return found.some((entry) => entry.path === path);
        });
      }
      // On a busy machine a batch may be later still; some requests, as for assets, are in none.
      const deadline = Date.now() + LATEST_MS;
      while (found.length < answered.length && Date.now() < deadline) {
        await Bun.sleep(200);
        found = await readAccessLog(client, { ua: userAgent });
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
