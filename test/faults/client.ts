import { AGENT, type Seen, send } from '../../infra/load/send.ts';

export { isRefusal, type Seen, send, statusOf } from '../../infra/load/send.ts';

/** The status and, of an error, the code: `200`, `503 UNAVAILABLE`; with ` no Retry-After` where one is due. */
export function summary(seen: Seen): string {
  if (!seen.answered) return 'no answer';
  if (seen.status < 400) return String(seen.status);
  const { code } = JSON.parse(seen.text) as { code: string };
  const due = seen.status === 503 || seen.status === 504;
  return `${seen.status} ${code}${due && seen.retryAfter === null ? ' no Retry-After' : ''}`;
}

export interface NewPage {
  namespace?: string;
  id?: string;
  type?: string;
  content: string;
}

export const createPage = (baseUrl: string, page: NewPage): Promise<Seen> => {
  const { namespace = 'faults', id, type = 'text/html', content } = page;
  const query = new URLSearchParams({ ns: namespace, ...(id === undefined ? {} : { id }) });
  const headers = { 'Content-Type': type, 'X-Owner-Token': OWNER_TOKEN };
  return send(`${baseUrl}/api/html?${query}`, { method: 'POST', headers, body: content });
};

export const updatePage = (
  baseUrl: string,
  path: string,
  content: string,
  type = 'text/html',
): Promise<Seen> =>
  send(`${baseUrl}/api/html${path}`, {
    method: 'PUT',
    headers: { 'Content-Type': type, 'X-Owner-Token': OWNER_TOKEN },
    body: content,
  });

export const removePage = (baseUrl: string, path: string): Promise<Seen> =>
  send(`${baseUrl}/api/html${path}`, { method: 'DELETE', headers: { 'X-Owner-Token': OWNER_TOKEN } });

export const readRaw = (baseUrl: string, path: string): Promise<Seen> => send(`${baseUrl}${path}?raw=true`);

/** Views so far, by a HEAD, which counts none. */
export async function viewsOf(baseUrl: string, path: string): Promise<number> {
  const response = await fetch(`${baseUrl}${path}`, { method: 'HEAD', headers: AGENT });
  return Number(response.headers.get('x-views'));
}

/** All items of these tests have one owner. */
export const OWNER_TOKEN = 'own_fault-tests-share-this-one-token';
