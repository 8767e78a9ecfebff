import type { createPage as contract } from '../../../shared/contracts/content.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import { errors } from '../../../shared/errors.ts';
import { newItemId, newShortCode } from '../../../shared/ids.ts';
import { claimBlobs, discardBlobs } from '../../../shared/items/blob-trash.ts';
import { type ItemRef, PUBLIC_NAMESPACE } from '../../../shared/items/item.ts';
import { buryItems, CONSTRAINTS, findByReceipt, insertItem } from '../../../shared/items/registry.ts';
import { brokenConstraint, type Query } from '../../../shared/items/sql.ts';
import type { ContentDependencies } from '../dependencies.ts';
import {
  blobKeysOf,
  findPage,
  findRepost,
  insertPage,
  type StoredPage,
  toPageItem,
  toRoute,
} from '../kinds/html.ts';
import { announceRoute } from './announce-route.ts';
import { renderView } from './render-view.ts';

type Input = InputOf<typeof contract>;
type Reply = ReplyOf<typeof contract>;

/** Attempts at an address or short code that chance gave to someone else. */
const MAX_ATTEMPTS = 5;

/** Makes a stored blob a page, or finds the page that the same create or an equal post has made already. */
export async function createPage(deps: ContentDependencies, input: Input): Promise<Reply> {
  const view = await renderView(deps, { ...input, title: input.title ?? input.suggestedTitle });
  for (let attempt = 1; ; attempt++) {
    const page = draftPage(deps, input, view);
    try {
      return await announced(deps, await deps.sql.begin((tx) => insertOrFind(tx, deps, page, input)));
    } catch (error) {
      const constraint = brokenConstraint(error);
      if (constraint === null) throw error;
      const found = await settleConflict(deps, constraint, page, input);
      if (found !== null) return await announced(deps, { page: found, existing: false });
      if (attempt === MAX_ATTEMPTS) throw errors.idTaken(page.namespace, page.id);
    }
  }
}

interface Outcome {
  page: StoredPage;
  existing: boolean;
}

/** Also a page that was found: who made it may have died between the commit and the announcement. */
async function announced(deps: ContentDependencies, { page, existing }: Outcome): Promise<Reply> {
  await announceRoute(deps, toRoute(page));
  return { item: toPageItem(page), existing };
}

type View = Awaited<ReturnType<typeof renderView>>;

function draftPage(deps: ContentDependencies, input: Input, view: View): StoredPage {
  const now = deps.clock.now();
  return {
    namespace: input.namespace,
    ownerHash: input.ownerHash,
    passwordHash: input.passwordHash,
    tags: input.tags,
    ttlDays: input.ttlDays,
    format: input.format,
    language: input.language,
    contentType: input.contentType,
    filename: input.filename,
    showTopBar: input.showTopBar,
    id: input.id ?? newItemId(),
    kind: 'html',
    code: newShortCode(),
    version: 0,
    title: view.title,
    titleGiven: input.title !== null,
    sizeBytes: input.blob.size,
    sha256: input.blob.sha256,
    blobKey: input.blob.key,
    viewKey: view.viewKey,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + input.ttlDays * deps.ttlDayMs,
  };
}

async function insertOrFind(
  tx: Query,
  { clock }: ContentDependencies,
  page: StoredPage,
  input: Input,
): Promise<Outcome> {
  if (input.ownerKnown && page.namespace === PUBLIC_NAMESPACE && page.passwordHash === null) {
    const { ownerHash, sha256, format } = page;
    const repost = await findRepost(tx, { ownerHash, sha256, format, id: input.id }, page.createdAt);
    if (repost !== null) return { page: repost, existing: !(await isOwnAttempt(tx, repost, input)) };
  }
  const version = await insertItem(tx, page, input.receipt);
  await insertPage(tx, page);
  await claimBlobs(tx, blobKeysOf(page), clock.now());
  return { page: { ...page, version }, existing: false };
}

/** Whether the page was made by an earlier attempt at this very create, whose reply was lost. */
async function isOwnAttempt(tx: Query, { namespace, id }: StoredPage, { receipt }: Input): Promise<boolean> {
  const made = await findByReceipt(tx, receipt);
  return made?.namespace === namespace && made.id === id;
}

/**
 * Finds out what a broken constraint means. Returns the live page of an earlier attempt at this create; `null` when
 * another attempt may succeed.
 * @throws ID_TAKEN when the address the caller wants belongs to a live item.
 */
async function settleConflict(
  deps: ContentDependencies,
  constraint: string,
  page: StoredPage,
  input: Input,
): Promise<StoredPage | null> {
  if (constraint === CONSTRAINTS.code) return null;
  const made = await findByReceipt(deps.sql, input.receipt);
  if (made !== null) return await deps.sql.begin((tx) => findUnlessExpired(tx, deps, made));
  if (constraint !== CONSTRAINTS.address || input.id === null) return null;
  const standing = await deps.sql.begin((tx) => findUnlessExpired(tx, deps, page));
  if (standing !== null) throw errors.idTaken(page.namespace, page.id);
  return null;
}

/** The live page at an address. An expired one answers 404 until it is swept: its address and receipt are freed here. */
async function findUnlessExpired(
  tx: Query,
  { clock, blobGraceMs }: ContentDependencies,
  { namespace, id }: ItemRef,
): Promise<StoredPage | null> {
  const standing = await findPage(tx, { namespace, id }, true);
  const now = clock.now();
  if (standing === null || standing.expiresAt > now) return standing;
  await buryItems(tx, [standing], now);
  await discardBlobs(tx, blobKeysOf(standing), now + blobGraceMs);
  return null;
}
