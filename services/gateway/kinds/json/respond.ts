import { etagOf } from '../../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type BytesSource, respondWithBytes } from '../../items/bytes-response.ts';
import { cacheControl, contentHeaders, contentPolicy, robotsHeaders } from '../../items/content-headers.ts';
import { beginningOf, type ViewerOptions, viewerAddresses, wantsPage } from '../../items/item-viewer.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import { servicePage } from '../../pages/service-page.ts';
import { documentPage } from './document-page.ts';

/** Answers a read at the short URL of a document: a page for people, its bytes for all else (specification 9.2). */
export async function answerJsonShortUrl(
  deps: BytesSource & ViewerOptions,
  { context, record, views }: ItemRead<'json'>,
): Promise<Response> {
  if (!wantsPage(context)) return await respondWithDocument(deps, context, record, views);
  const location = { blobKey: record.content.blobKey, offset: 0, length: record.sizeBytes };
  const begun = await beginningOf(deps.reader, location, context);
  const addresses = viewerAddresses(deps, context, record);
  const markup = documentPage(record, addresses, begun, views, context.language);
  const headers = { ...robotsHeaders(record), ...cacheControl(record), 'X-Views': String(views) };
  return servicePage(context, markup, { headers });
}

/** A JSON document, byte for byte as it was sent, at its short URL and in the API. */
export async function respondWithDocument(
  source: BytesSource,
  context: RequestContext,
  record: ItemRecordOf<'json'>,
  views: number,
): Promise<Response> {
  const { id, content, sizeBytes, updatedAt } = record;
  const headers: Record<string, string> = {
    ...contentHeaders(record),
    'Content-Type': 'application/json',
    ...contentPolicy('application/json', 'opaque', false),
    'X-Views': String(views),
  };
  if (isSet(context.query(), 'dl')) {
    headers['Content-Disposition'] = contentDisposition('attachment', `${id}.json`);
  }
  const location = { blobKey: content.blobKey, offset: 0, length: sizeBytes };
  const answer = { location, etag: etagOf(content), changedAt: updatedAt, headers, ignoresRanges: true };
  return await respondWithBytes(source, context, answer);
}
