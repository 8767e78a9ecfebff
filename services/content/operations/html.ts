import type { CallContext } from '../../../shared/call-context.ts';
import type * as contract from '../../../shared/contracts/html.ts';
import type { InputOf, ReplyOf } from '../../../shared/contracts/operation.ts';
import type { PageFormat } from '../../../shared/items/content.ts';
import { createItem } from '../../../shared/items/create-item.ts';
import { describeItem } from '../../../shared/items/describe-item.ts';
import { assertPageMatch } from '../../../shared/items/etag.ts';
import { PUBLIC_NAMESPACE, REPOST_HOURS } from '../../../shared/items/item.ts';
import { type Item, itemColumns } from '../../../shared/items/item-repository.ts';
import { findOwnedItem } from '../../../shared/items/owned-item.ts';
import { type Replacement, replaceContent } from '../../../shared/items/replace-content.ts';
import type { Query } from '../../../shared/items/sql.ts';
import { assertInTime } from '../../../shared/items/write-in-time.ts';
import type { ContentDependencies } from '../dependencies.ts';
import { plainTextPage } from '../render/plain-text.ts';
import { renderOrPlain, renderPage } from './render-page.ts';

type CreateInput = InputOf<typeof contract.createHtml>;

/** Makes a stored blob a page, or finds the page that the same create or an equal post has made already. */
export async function createHtml(
  deps: ContentDependencies,
  input: CreateInput,
  context: CallContext,
): Promise<ReplyOf<typeof contract.createHtml>> {
  const { format, language, contentType, filename, showTopBar, blob } = input;
  const { renderedKey, title } = await renderPage(
    deps,
    { format, language, filename, blob, title: input.title ?? input.suggestedTitle },
    context,
  );
  const { item, existing, idempotencySalt } = await createItem(deps, input, context, {
    kind: 'html',
    content: {
      title,
      sizeBytes: blob.size,
      excerpt: null,
      content: {
        format,
        language,
        contentType,
        filename,
        showTopBar,
        viewKey: renderedKey,
        titleGiven: input.title !== null,
        sha256: blob.sha256,
        blobKey: blob.key,
      },
    },
    before:
      input.ownerKnown && mayBeRepost(input)
        ? (tx, page) => findRepost(tx, { ...keyOf(page), id: input.id }, page.createdAt)
        : undefined,
  });
  return { item: describeItem(item), existing, idempotencySalt };
}

/** An HTML, markdown or text page. */
type PageRow = Item<'html'>;

interface RepostKey {
  ownerHash: string;
  sha256: string;
  format: PageFormat;
  /** The id the caller asks for, if any: an earlier post under another id is not this one. */
  id: string | null;
}

const keyOf = ({ ownerHash, content: { sha256, format } }: PageRow) => ({ ownerHash, sha256, format });

/**
 * The public, unprotected page of the same owner, bytes and format from the last 24 hours (specification 3.4).
 * Holds a lock until the transaction ends: of equal posts at once, the others wait here and find the first.
 */
async function findRepost(sql: Query, key: RepostKey, now: number): Promise<PageRow | null> {
  const identity = [key.ownerHash, key.sha256, key.format].join(' ');
  const locking = sql`select pg_advisory_xact_lock(hashtextextended(${identity}, 0))`;
  // Sent along, it is carried out once the lock is held. Kind and namespace stand in the text, as in the index.
  const finding = sql<PageRow[]>`
    select ${itemColumns(sql)} from items
    where kind = 'html' and namespace = 'public' and owner_hash = ${key.ownerHash}
      and content ->> 'sha256' = ${key.sha256} and content ->> 'format' = ${key.format}
      and password_hash is null and expires_at > ${now}
      and created_at > ${now - REPOST_HOURS * 3_600_000}
      ${key.id === null ? sql`` : sql`and id = ${key.id}`}
    order by created_at limit 1`;
  const [, [page]] = await Promise.all([locking, finding]);
  return page ?? null;
}

/** Whether an equal page can have been posted before (specification 3.4). */
const mayBeRepost = ({ namespace, passwordHash }: Pick<PageRow, 'namespace' | 'passwordHash'>): boolean =>
  namespace === PUBLIC_NAMESPACE && passwordHash === null;

/** The page as its owner sees it, from the database. */
export async function describeHtml(
  { sql, clock }: ContentDependencies,
  input: InputOf<typeof contract.describeHtml>,
): Promise<ReplyOf<typeof contract.describeHtml>> {
  return describeItem(await findOwnedItem(sql, { ...input, kind: 'html' }, { clock, lock: false }));
}

/**
 * Replaces a page's content in one step; what else it has is immutable (specification 4.6).
 * @throws PRECONDITION_FAILED when the page that stands is none of those in `ifMatch`
 */
export async function updateHtml(
  deps: ContentDependencies,
  input: InputOf<typeof contract.updateHtml>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.updateHtml>> {
  const { namespace, id, ownerHash, blob, ifMatch = null } = input;
  const replacement: Replacement<'html'> = {
    item: { kind: 'html', namespace, id, ownerHash },
    blobKey: blob.key,
    async prepare(existing) {
      const { format, language, filename, titleGiven } = existing.content;
      const title = input.title ?? (titleGiven ? existing.title : input.suggestedTitle);
      const page = await renderPage(deps, { format, language, filename, title, blob }, context);
      return (locked) => ({
        // Another update may have given one meanwhile.
        title: input.title ?? (locked.content.titleGiven ? locked.title : page.title),
        sizeBytes: blob.size,
        excerpt: null,
        content: {
          ...locked.content,
          titleGiven: locked.content.titleGiven || input.title !== null,
          sha256: blob.sha256,
          blobKey: blob.key,
          viewKey: page.renderedKey,
        },
      });
    },
    assertReplaceable: (locked) => assertPageMatch(locked, ifMatch),
  };
  return describeItem(await replaceContent(deps, replacement, context));
}

/** Most bytes of a reply as JSON; a larger one carries the plain-text page instead, which always fits. */
const MAX_REPLY_BYTES = 7 * 1_048_576;

/**
 * Renders a page as people would see it. Nothing is stored.
 * @throws TIMEOUT when nobody waits for it any more; UNAVAILABLE when the renderer's queue is full
 */
export async function previewHtml(
  deps: Pick<ContentDependencies, 'renderer'>,
  input: InputOf<typeof contract.previewHtml>,
  context: CallContext,
): Promise<ReplyOf<typeof contract.previewHtml>> {
  assertInTime(context, 'rendering');
  const page = await renderOrPlain(deps, input, context);
  if (Buffer.byteLength(JSON.stringify(page)) <= MAX_REPLY_BYTES) return page;
  const { title } = page;
  return { html: plainTextPage({ content: input.content, title }), title };
}
