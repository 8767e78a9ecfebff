import type { Clock } from '../../../../shared/clock.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { OwnViews } from '../../auth/own-views.ts';
import { shownProof, type UnlockCookies } from '../../auth/unlock-cookie.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { codingFor, heldTag, tagOfForm } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/flags.ts';
import { isPageNavigation } from '../../http/preferred-type.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type BytesAnswer, respondWithBytes } from '../../items/bytes-response.ts';
import {
  cacheControl,
  contentHeaders,
  FILE_CACHE,
  isListed,
  robotsHeaders,
  VARY,
} from '../../items/content-headers.ts';
import {
  type ContentOrigin,
  contentOriginOf,
  filePolicy,
  renderedPolicy,
} from '../../items/content-policy.ts';
import type { ContentReader } from '../../items/content-reader.ts';
import type { ItemRead } from '../../items/item-read.ts';
import { previewUrl } from '../../items/preview-url.ts';
import { placeOf, type RenderedPages } from '../../items/rendered-pages.ts';
import type { WholeBodies } from '../../items/whole-bodies.ts';
import { servicePage } from '../../pages/service-page.ts';
import { filePage } from './file-page.ts';

export interface FileResponder {
  /** A short URL: a viewer for people, the bytes for all else (specification 9.2). */
  respond(read: ItemRead<'file'>): Promise<Response>;
  /** The bytes, as the API gives them. */
  bytes(context: RequestContext, record: ItemRecordOf<'file'>): Promise<Response>;
}

interface FileResponderOptions {
  reader: ContentReader;
  bodies: WholeBodies;
  clock: Clock;
  views: RenderedPages;
  cookies: UnlockCookies;
  ownViews: OwnViews;
  /** The host of the items, where they have one of their own. */
  contentBaseUrl: string | null;
  separateHost: boolean;
}

export function createFileResponder(options: FileResponderOptions): FileResponder {
  const { bodies, views: pageViews, cookies, ownViews, contentBaseUrl, separateHost } = options;

  const bytes = async (context: RequestContext, record: ItemRecordOf<'file'>): Promise<Response> => {
    const download = isSet(context.query(), 'dl');
    return await respondWithBytes(
      options,
      context,
      fileAnswer(record, download, contentOriginOf(context, separateHost)),
    );
  };

  return {
    bytes,
    async respond({ context, record, views }) {
      const response = await (wantsViewer(context) ? viewer(context, record, views) : bytes(context, record));
      response.headers.set('X-Views', String(views));
      return response;
    },
  };

  async function viewer(
    context: RequestContext,
    record: ItemRecordOf<'file'>,
    views: number,
  ): Promise<Response> {
    const { content, version, passwordHash } = record;
    const headers: Record<string, string> = { ...robotsHeaders(record), ...cacheControl(record) };
    if (content.viewKey === null) {
      const shown = context.itemHost === null ? `/${record.namespace}/${record.id}` : '/';
      // No PDF is shown in a sandbox. Without a password its page tells hosted pages nothing that is not public.
      const sandboxed = context.onContentHost && (content.family !== 'pdf' || passwordHash !== null);
      const { language } = context;
      const markup = filePage({ ...viewOf(context, record, views), sandboxed, language });
      return servicePage(context, markup, { headers, shown, sandboxed });
    }
    const etag = `"${etagOf(content)}-view4-${version.toString(36)}"`;
    Object.assign(headers, CORS_HEADERS, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': renderedPolicy(),
      'Referrer-Policy': 'no-referrer',
      ETag: etag,
      Vary: VARY,
    });
    const held = heldTag(context.request.headers, etag);
    if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
    const { bytes: shown, coding } = await pageViews.textFile(
      record,
      codingFor(context.request.headers),
      placeOf(context),
    );
    if (coding !== null) {
      Object.assign(headers, { 'Content-Encoding': coding, ETag: tagOfForm(etag, coding) });
    }
    return new Response(bodies.of(context, shown), { headers });
  }

  /** The page's own requests for the file carry a ticket, as no cookie goes along with them, and count no second view. */
  function viewOf(context: RequestContext, record: ItemRecordOf<'file'>, views: number) {
    const { namespace, id, content, sizeBytes, createdAt, expiresAt, passwordHash } = record;
    const { filename, contentType, family } = content;
    const path = `/${namespace}/${id}`;
    const address = context.itemHost === null ? path : `${context.itemHost.origin}/`;
    const ticket = passwordHash === null ? '' : `&ticket=${cookies.ticket(record, shownProof(context))}`;
    return {
      ...{ filename, contentType, family, sizeBytes, views },
      createdAt: new Date(createdAt),
      expiresAt: new Date(expiresAt),
      mediaUrl: `${address}?raw=true${ticket}&${ownViews.parameterFor(context, record)}`,
      downloadUrl: `${address}?dl=true${ticket}`,
      rawUrl: `${address}?raw=true`,
      reportUrl: `${context.baseUrl}/report?item=${encodeURIComponent(`${namespace}/${id}`)}`,
      ...(isListed(record)
        ? {
            publicUrl: `${contentBaseUrl ?? context.baseUrl}${path}`,
            previewUrl: previewUrl(context.baseUrl, record),
          }
        : {}),
    };
  }
}

/** A person who opens the link, not a program, an embedding page or a player that seeks. */
function wantsViewer(context: RequestContext): boolean {
  const { request } = context;
  if (!isPageNavigation(request) || request.headers.has('range')) return false;
  return context.search === '' || !['raw', 'dl'].some((flag) => isSet(context.query(), flag));
}

function fileAnswer(record: ItemRecordOf<'file'>, download: boolean, origin: ContentOrigin): BytesAnswer {
  const { content, sizeBytes, passwordHash, updatedAt } = record;
  const disposition = download ? 'attachment' : 'inline';
  return {
    place: { blobKey: content.blobKey, offset: 0, length: sizeBytes },
    etag: etagOf(content),
    changedAt: updatedAt,
    headers: {
      ...contentHeaders(record, FILE_CACHE),
      'Content-Type': content.contentType,
      ...filePolicy(content.contentType, origin, passwordHash !== null),
      'Content-Disposition': contentDisposition(disposition, content.filename),
    },
  };
}
