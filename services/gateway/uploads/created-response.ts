import type { TSchema } from '@sinclair/typebox';
import { call } from '../../../shared/contracts/call.ts';
import type { IdempotencySalt } from '../../../shared/contracts/create.ts';
import type { AnyDescribedItem } from '../../../shared/contracts/items.ts';
import type { Operation } from '../../../shared/contracts/operation.ts';
import type { Kind } from '../../../shared/items/item.ts';
import { preferredType } from '../http/preferred-type.ts';
import type { RequestContext } from '../http/request-context.ts';
import { toHeaderText } from '../http/text.ts';
import { hostingFields } from '../items/hosting.ts';
import { createdItem } from '../items/serializer.ts';
import type { CompleteCreate } from './create-request.ts';
import type { UploadDependencies } from './dependencies.ts';

interface Created {
  namespace: string;
  id: string;
  url: string;
  ownerToken: string;
}

/** 201 for a create: JSON, or for those who prefer text the item's address alone (specification 3.2). */
function createdResponse(context: RequestContext, kind: Kind, created: Created, existing: boolean): Response {
  const { namespace, id } = created;
  context.item = { kind, namespace, id };
  const headers: Record<string, string> = { Location: created.url, 'Cache-Control': 'no-store' };
  if (existing) headers['X-Existing-Resource'] = '1';
  const types = context.answersInText
    ? (['text/plain', 'application/json'] as const)
    : (['application/json', 'text/plain'] as const);
  if (preferredType(context.request, types) === 'application/json') {
    return Response.json(created, { status: 201, headers });
  }
  headers['X-Owner-Token'] = toHeaderText(created.ownerToken);
  headers['Content-Type'] = 'text/plain; charset=utf-8';
  return new Response(`${created.url}\n`, { status: 201, headers });
}

/** An operation that creates items. */
type CreateOperation<Input, Item> = Operation<
  TSchema & { static: Input },
  TSchema & { static: { item: Item; existing?: boolean; idempotencySalt?: IdempotencySalt } }
>;

/**
 * Creates an item and answers with it.
 * @param ownFields the fields of the answer that only this kind has
 */
export async function answerCreate<Input, Item extends AnyDescribedItem>(
  deps: UploadDependencies,
  context: RequestContext,
  kind: Kind,
  operation: CreateOperation<Input, Item>,
  { input, ownerTokenOf }: Pick<CompleteCreate, 'ownerTokenOf'> & { input: Input },
  ownFields: (item: Item, existing: boolean) => object = () => ({}),
): Promise<Response> {
  const {
    item,
    existing = false,
    idempotencySalt,
  } = await call(deps.bus, operation, input, context.callContext);
  const created = createdItem(kind, item, ownerTokenOf({ idempotencySalt }), context.baseUrl);
  const fields = { ...created, ...hostingFields(deps, context, item), ...ownFields(item, existing) };
  return createdResponse(context, kind, fields, existing);
}
