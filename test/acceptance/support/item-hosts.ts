import { expect } from 'bun:test';
import { ADMIN } from '../../shared-instance.ts';
import { type Address, type Client, jsonOf, USER_AGENT } from './client.ts';

/** CONTENT_BASE_URL in these tests: no name server knows it, so requests name it in `Host`. */
export const ITEMS_DOMAIN = 'items.test';

/** As a browser opens an address on an item's own host. */
export const AT_HOST = {
  Accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Site': 'none',
};

/** As a page on an item's own host asks for its own files. */
export const OF_ITSELF = { 'Sec-Fetch-Dest': 'script', 'Sec-Fetch-Site': 'same-origin' };

/** The own host of an item, by which a test asks a gateway. */
export interface AskedHost {
  host: string;
  get(path: string, init?: { method?: string; headers?: Record<string, string> }): Promise<Response>;
}

/** The host by its name. */
export const hostNamed = (client: Pick<Client, 'url'>, host: string): AskedHost => ({
  host,
  get: (path, { method = 'GET', headers = {} } = {}) =>
    fetch(`${client.url}${path}`, {
      method,
      redirect: 'manual',
      headers: { 'User-Agent': USER_AGENT, 'Accept-Encoding': 'identity', ...headers, Host: host },
    }),
});

/** The address that a redirect leads to. */
export const ledTo = (response: Response): URL => {
  expect([302, 303]).toContain(response.status);
  return new URL(response.headers.get('Location') ?? '');
};

/** The own host of an item without a password, as its path leads there. */
export async function hostOf(client: Client, item: Address): Promise<AskedHost> {
  return hostNamed(client, ledTo(await client.read(item)).host);
}

/** Reports an address. Returns the item that the operator sees beside it, as `{ns}/{id}`; `null`: none. */
export async function reportedItem(client: Client, reportedUrl: string): Promise<string | null> {
  const json = { reportedUrl, category: 'spam', description: 'It advertises things.' };
  const sent = await client.request('/api/reports', { method: 'POST', json });
  const { reportId } = await jsonOf<{ reportId: string }>(sent, 201);
  const { resourceNamespace, resourceId } = await jsonOf<{
    resourceNamespace: string | null;
    resourceId: string | null;
  }>(await client.request(`/api/admin/reports/${reportId}`, { headers: ADMIN }));
  return resourceId === null ? null : `${resourceNamespace}/${resourceId}`;
}
