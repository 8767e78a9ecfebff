import { ADMIN_PASSWORD } from '../../shared-instance.ts';
import { type Client, jsonOf } from './client.ts';

/** Reports an address. Returns the item that the operator sees beside it, as `{ns}/{id}`; `null`: none. */
export async function reportedItem(client: Client, reportedUrl: string): Promise<string | null> {
  const json = { reportedUrl, category: 'spam', description: 'It advertises things.' };
  const sent = await client.request('/api/reports', { method: 'POST', json });
  const { reportId } = await jsonOf<{ reportId: string }>(sent, 201);
  const headers = { 'X-Admin-Password': ADMIN_PASSWORD };
  const { resourceNamespace, resourceId } = await jsonOf<{
    resourceNamespace: string | null;
    resourceId: string | null;
  }>(await client.request(`/api/admin/reports/${reportId}`, { headers }));
  return resourceId === null ? null : `${resourceNamespace}/${resourceId}`;
}
