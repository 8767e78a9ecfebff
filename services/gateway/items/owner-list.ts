import type { TSchema } from '@sinclair/typebox';
import { call } from '../../../shared/contracts/call.ts';
import type { AnyDescribedItem, OwnerListInput } from '../../../shared/contracts/items.ts';
import type { Operation } from '../../../shared/contracts/operation.ts';
import { PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { hashOwnerToken, ownerTokenOf } from '../auth/owner-token.ts';
import { jsonText } from '../http/json-response.ts';
import { MAX_PAGE, parseCount, pick } from '../http/parameters.ts';
import type { RequestContext } from '../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../http/validation-issues.ts';
import type { ReadDependencies } from './dependencies.ts';
import { parseNamespace } from './item-address.ts';
import { currentViews } from './serializer.ts';

/** Items asked for at once: a message holds them all. */
const BATCH = 500;
const MAX_PAGE_SIZE = 1000;

/** Bytes reserved for each item before a long list is gathered; the answer reserves what it needs beyond that. */
const ITEM_ROOM_BYTES = 1_024;

/** Most items of one answer; an owner with more reads them in pages. */
export const MAX_LISTED = 10_000;

/** An operation that lists an owner's items. */
type ListOperation<I> = Operation<typeof OwnerListInput, TSchema & { static: { items: I[]; total: number } }>;

/**
 * Lists the items of one kind in a namespace that belong to the owner of the request's token, newest first
 * (specification 15.5): the newest `MAX_LISTED`, or with `page` and `size` a part. Without a token the list is empty.
 */
export async function answerOwnerList<I extends AnyDescribedItem>(
  deps: ReadDependencies,
  context: RequestContext,
  operation: ListOperation<I>,
  shape: (item: I, views: number) => object,
): Promise<Response> {
  await deps.limits.admit(context, 'reads');
  const issues = collectIssues();
  const query = context.query();
  const namespace = parseNamespace(pick(query, {}, ['ns', 'namespace']) ?? PUBLIC_NAMESPACE, issues);
  const page = parsePage(query, issues);
  issues.throwIfAny();
  const token = ownerTokenOf(context);
  const { items, total, heldBytes } =
    token === null
      ? { items: [], total: 0, heldBytes: 0 }
      : await collect<I>(deps, context, operation, { namespace, ownerHash: hashOwnerToken(token) }, page);
  const views = await currentViews(deps.cache, items);
  const body = items.map((item, index) => shape(item, views[index] ?? 0));
  const headers = { 'Cache-Control': 'private, no-store', 'X-Total-Count': String(total) };
  const text = JSON.stringify(body);
  deps.responseMemory.holdMade(context, Buffer.byteLength(text) - heldBytes);
  return jsonText(text, headers);
}

interface Page {
  offset: number;
  limit: number;
}

/** Gathers the items in batches. With more than one batch, room for all is reserved before the second is requested. */
async function collect<I extends AnyDescribedItem>(
  { bus, responseMemory }: ReadDependencies,
  context: RequestContext,
  operation: ListOperation<I>,
  owner: Pick<OwnerListInput, 'namespace' | 'ownerHash'>,
  { offset, limit }: Page,
): Promise<{ items: I[]; total: number; heldBytes: number }> {
  const items: I[] = [];
  let heldBytes = 0;
  for (;;) {
    const last = items.at(-1);
    const after = last === undefined ? null : { createdAt: last.createdAt, id: last.id };
    const size = Math.min(BATCH, limit - items.length);
    const input = { ...owner, after, offset: after === null ? offset : 0, limit: size };
    const batch = await call(bus, operation, input, context.callContext);
    items.push(...batch.items);
    if (batch.items.length < size || items.length >= limit) return { items, total: batch.total, heldBytes };
    if (heldBytes > 0) continue;
    heldBytes = ITEM_ROOM_BYTES * Math.min(batch.total - offset, limit);
    await responseMemory.hold(context, heldBytes);
  }
}

function parsePage(query: URLSearchParams, issues: ValidationIssues): Page {
  const page = parseCount(query, 'page', MAX_PAGE, issues);
  const size = parseCount(query, 'size', MAX_PAGE_SIZE, issues);
  if (page === null && size === null) return { offset: 0, limit: MAX_LISTED };
  const limit = size ?? 100;
  return { offset: ((page ?? 1) - 1) * limit, limit };
}
