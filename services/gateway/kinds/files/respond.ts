import type { Clock } from '../../../../shared/clock.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { archiveIssue } from '../../archives/archive-issue.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import type { OwnViews } from '../../auth/signed-tokens.ts';
import type { UnlockCookies } from '../../auth/unlock-proofs.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { codingFor, heldTag, tagOfForm } from '../../http/content-coding.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type BytesAnswer, respondWithBytes } from '../../items/bytes-response.ts';
import {
  type ContentOrigin,
  cacheControl,
  contentHeaders,
  contentOriginOf,
  FILE_CACHE,
  filePolicy,
  robotsHeaders,
  VARY,
} from '../../items/content-headers.ts';
import type { ContentLocation, ContentReader } from '../../items/content-reader.ts';
import { beginningOf, viewerAddresses, wantsPage } from '../../items/item-viewer.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import type { ResponseBodies } from '../../items/response-bodies.ts';
import type { DataFormat } from '../../pages/item-parts.ts';
import { servicePage } from '../../pages/service-page.ts';
import { TOP_BAR_TEXTS as texts } from '../../pages/top-bar.ts';
import { renderedPolicy } from '../../rendered-pages/page-policy.ts';
import { placeOf, type RenderedPages, type TextForm } from '../../rendered-pages/rendered-pages.ts';
import { type FilePageInput, filePage } from './file-page.ts';
import { readZipContents } from './zip-contents.ts';

export interface FileResponder {
  /** A short URL: a viewer for people, the bytes for all else (specification 9.2). */
  respond(read: ItemRead<'file'>): Promise<Response>;
  /** The bytes, as the API gives them. */
  bytes(context: RequestContext, record: ItemRecordOf<'file'>): Promise<Response>;
}

interface FileResponderOptions {
  reader: ContentReader;
  bodies: ResponseBodies;
  clock: Clock;
  renderedPages: RenderedPages;
  cookies: UnlockCookies;
  ownViews: OwnViews;
  /** The host of the items, where they have one of their own. */
  contentBaseUrl: string | null;
  separateHost: boolean;
}

export function createFileResponder(options: FileResponderOptions): FileResponder {
  const { bodies, renderedPages, separateHost } = options;

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
    const format = asksForSource(context) ? undefined : dataFormat(record);
    if (content.viewKey === null || format !== undefined) {
      const shown = context.itemHost === null ? `/${record.namespace}/${record.id}` : '/';
      // No PDF is shown in a sandbox. Without a password its page tells hosted pages nothing that is not public.
      const sandboxed = context.onContentHost && (content.family !== 'pdf' || passwordHash !== null);
      const { language } = context;
      const inside = await insideOf(context, record, format);
      const markup = filePage({ ...viewOf(context, record, views), ...inside, sandboxed, language });
      return servicePage(context, markup, { headers, shown, sandboxed });
    }
    const form = formOf(context, record);
    const etag = `"${etagOf(content)}-${form.isSource ? 'source' : 'view'}5-${version.toString(36)}"`;
    Object.assign(headers, CORS_HEADERS, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': renderedPolicy(),
      'Referrer-Policy': 'no-referrer',
      ETag: etag,
      Vary: VARY,
    });
    const held = heldTag(context.request.headers, etag);
    if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
    const { bytes: shown, coding } = await renderedPages.textFile(
      record,
      form,
      codingFor(context.request.headers),
      placeOf(context),
    );
    if (coding !== null) {
      Object.assign(headers, { 'Content-Encoding': coding, ETag: tagOfForm(etag, coding) });
    }
    return new Response(bodies.of(context, shown), { headers });
  }

  function viewOf(context: RequestContext, record: ItemRecordOf<'file'>, views: number) {
    const { content, sizeBytes, createdAt, expiresAt } = record;
    const { filename, contentType, family } = content;
    return {
      filename,
      contentType,
      family,
      sizeBytes,
      views,
      createdAt: new Date(createdAt),
      expiresAt: new Date(expiresAt),
      ...viewerAddresses(options, context, record),
    };
  }

  /** The inside of a file, so far as its page shows it. */
  async function insideOf(
    context: RequestContext,
    record: ItemRecordOf<'file'>,
    format: DataFormat | undefined,
  ): Promise<Pick<FilePageInput, 'data' | 'contents'>> {
    if (format !== undefined) return { data: await dataOf(context, record, format) };
    if (record.content.contentType !== 'application/zip') return {};
    const contents = await readZipContents(archiveOf(context, record));
    return contents === null ? {} : { contents };
  }

  function archiveOf(context: RequestContext, record: ItemRecordOf<'file'>): ArchiveSource {
    const location = wholeOf(record);
    // These parts are no answers, and hold no room of answers.
    const inside = { clientKey: context.clientKey, connection: null };
    return {
      size: location.length,
      async read(position, length) {
        if (position + length > location.length) throw archiveIssue('points behind its end.');
        if (length === 0) return Buffer.alloc(0);
        const range = { start: position, end: position + length - 1 };
        return Buffer.from(await new Response(await options.reader.read(location, range, inside)).bytes());
      },
    };
  }

  async function dataOf(context: RequestContext, record: ItemRecordOf<'file'>, format: DataFormat) {
    const dataUrl = viewerAddresses(options, context, record).mediaUrl;
    return {
      format,
      dataUrl,
      wholeUrl: SOURCE,
      ...(await beginningOf(options.reader, wholeOf(record), context)),
    };
  }
}

const wholeOf = ({ content, sizeBytes }: ItemRecordOf<'file'>): ContentLocation => ({
  blobKey: content.blobKey,
  offset: 0,
  length: sizeBytes,
});

/** Texts whose page shows their structure, by their types. */
const DATA_FORMATS: ReadonlyMap<string, DataFormat> = new Map([
  ['application/json', 'json'],
  ['text/csv', 'csv'],
  ['text/tab-separated-values', 'tsv'],
]);

const dataFormat = ({ content }: ItemRecordOf<'file'>): DataFormat | undefined =>
  DATA_FORMATS.get(content.contentType.split(';', 1)[0] ?? '');

/** Where the views of a text are, from any address of its own. */
const SOURCE = '?view=source';
const RENDERED = '?view=rendered';

/** The rendering of a text that a person asks for, and what the other view of it is called. */
function formOf(context: RequestContext, record: ItemRecordOf<'file'>): TextForm {
  const format = dataFormat(record);
  if (format !== undefined) return { isSource: true, other: { url: RENDERED, label: OTHER_VIEWS[format] } };
  if (record.content.sourceAt === undefined) return { isSource: true, other: undefined };
  return asksForSource(context)
    ? { isSource: true, other: { url: RENDERED, label: texts.rendered } }
    : { isSource: false, other: { url: SOURCE, label: texts.source } };
}

const OTHER_VIEWS: Record<DataFormat, string> = {
  json: texts.tree,
  csv: texts.table,
  tsv: texts.table,
};

/** Whether a person wants to see the text itself, where there is another view of it (specification 9.2). */
const asksForSource = (context: RequestContext): boolean =>
  context.search !== '' && context.query().get('view') === 'source';

/** A person who opens the link, not a program, an embedding page or a player that seeks. */
const wantsViewer = (context: RequestContext): boolean =>
  wantsPage(context) && !context.request.headers.has('range');

function fileAnswer(record: ItemRecordOf<'file'>, download: boolean, origin: ContentOrigin): BytesAnswer {
  const { content, passwordHash, updatedAt } = record;
  const disposition = download ? 'attachment' : 'inline';
  return {
    location: wholeOf(record),
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
