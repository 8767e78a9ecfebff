import type { BytesSource } from '../../items/bytes-response.ts';
import { cacheControl, robotsHeaders } from '../../items/content-headers.ts';
import { beginningOf, type ViewerOptions, viewerAddresses, wantsPage } from '../../items/item-viewer.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import { servicePage } from '../../pages/service-page.ts';
import { documentPage } from './document-page.ts';
import { respondWithDocument } from './read.ts';

/** A short URL of a document: a page for people, its bytes for all else (specification 9.2). */
export async function respondAtShortUrl(
  deps: BytesSource & ViewerOptions,
  { context, record, views }: ItemRead<'json'>,
): Promise<Response> {
  if (!wantsPage(context)) return await respondWithDocument(deps, context, record, views);
  const { namespace, id, title, sizeBytes, content } = record;
  const place = { blobKey: content.blobKey, offset: 0, length: sizeBytes };
  const markup = documentPage({
    ...viewerAddresses(deps, context, record),
    ...(await beginningOf(deps.reader, place, context)),
    ...{ namespace, id, title, sizeBytes, views, language: context.language },
    createdAt: new Date(record.createdAt),
    expiresAt: new Date(record.expiresAt),
  });
  const headers = { ...robotsHeaders(record), ...cacheControl(record), 'X-Views': String(views) };
  return servicePage(context, markup, { headers });
}
