import { etagOf } from '../../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { matchesEtag } from '../../http/conditional.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/flags.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { BytesSource } from '../../items/bytes-response.ts';
import { contentHeaders } from '../../items/content-headers.ts';
import { contentPolicy } from '../../items/content-policy.ts';

/** A JSON document, byte for byte as it was sent. */
export async function respondWithDocument(
  { reader, bodies }: BytesSource,
  context: RequestContext,
  record: ItemRecordOf<'json'>,
  views: number,
): Promise<Response> {
  const { id, content, sizeBytes } = record;
  const etag = `"${etagOf(content)}"`;
  const headers: Record<string, string> = {
    ...{ ...CORS_HEADERS, ...contentHeaders(record), ETag: etag },
    'Content-Type': 'application/json',
    'Content-Security-Policy': contentPolicy('application/json', false),
    'X-Views': String(views),
  };
  if (isSet(context.query(), 'dl')) {
    headers['Content-Disposition'] = contentDisposition('attachment', `${id}.json`);
  }
  if (matchesEtag(context.request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  const place = { blobKey: content.blobKey, offset: 0, length: sizeBytes };
  const found = await reader.read(place, { start: 0, end: sizeBytes - 1 }, context.clientKey);
  return new Response(found instanceof Uint8Array ? bodies.of(context, found) : found, { headers });
}
