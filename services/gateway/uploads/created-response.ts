import type { Kind } from '../../../shared/items/item.ts';
import { toHeaderText } from '../http/header-text.ts';
import { preferredType } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';

interface Created {
  namespace: string;
  id: string;
  url: string;
  ownerToken: string;
}

/** 201 for a create: JSON, or for those who prefer text the item's address alone (specification 3.2). */
export function createdResponse(
  context: RequestContext,
  kind: Kind,
  created: Created,
  existing: boolean,
): Response {
  const { namespace, id } = created;
  context.item = { kind, namespace, id };
  const headers: Record<string, string> = { Location: created.url, 'Cache-Control': 'no-store' };
  if (existing) headers['X-Existing-Resource'] = '1';
  if (preferredType(context.request, ['application/json', 'text/plain']) === 'application/json') {
    return Response.json(created, { status: 201, headers });
  }
  headers['X-Owner-Token'] = toHeaderText(created.ownerToken);
  headers['Content-Type'] = 'text/plain; charset=utf-8';
  return new Response(`${created.url}\n`, { status: 201, headers });
}
