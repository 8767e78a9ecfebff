import type { Clock } from '../../../../shared/clock.ts';
import { errors } from '../../../../shared/errors.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { shownProof, type UnlockCookies } from '../../auth/unlock-proofs.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import { isSet } from '../../http/parameters.ts';
import { isShownAsDocument } from '../../http/preferred-type.ts';
import { withoutSecrets } from '../../http/query-masking.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { type BytesAnswer, respondWithBytes } from '../../items/bytes-response.ts';
import { contentHeaders, contentOriginOf, FILE_CACHE, filePolicy } from '../../items/content-headers.ts';
import type { ContentReader } from '../../items/content-reader.ts';
import type { ItemRead } from '../../items/resolve-short-url.ts';
import type { ResponseBodies } from '../../items/response-bodies.ts';
import { findSiteFile, type SiteIndexes } from './indexes.ts';

export interface SiteResponder {
  /** A short URL and everything below it (specification 9.1). */
  respond(read: ItemRead<'site'>): Promise<Response>;
  /** One file by its exact path, as the API gives it. @throws NOT_FOUND */
  file(context: RequestContext, record: ItemRecordOf<'site'>, path: string): Promise<Response>;
}

interface SiteResponderOptions {
  reader: ContentReader;
  bodies: ResponseBodies;
  clock: Clock;
  indexes: SiteIndexes;
  cookies: UnlockCookies;
  separateHost: boolean;
}

export function createSiteResponder(options: SiteResponderOptions): SiteResponder {
  const { indexes, cookies, separateHost } = options;

  const answer = async (
    context: RequestContext,
    record: ItemRecordOf<'site'>,
    file: SiteFile,
    status: 200 | 404,
  ): Promise<Response> => {
    const found = fileAnswer(context, record, file, separateHost);
    // The next replacement may bring the missing file.
    if (status === 404 && record.passwordHash === null) found.headers['Cache-Control'] = 'no-cache';
    return await respondWithBytes(options, context, { ...found, status });
  };

  return {
    async respond(read) {
      const { context, record, sub, views } = read;
      const redirected = redirectOf(read, cookies);
      if (redirected !== null) return redirected;
      const index = await indexes.read(record.content.indexKey);
      const shown = isShownAsDocument(context.request);
      const found = findSiteFile(index, record.content.entryFile, sub ?? '', shown);
      if (found === null) throw errors.siteFileNotFound(record.namespace, record.id, sub ?? '');
      if ('redirect' in found) return redirectTo(read, found.redirect);
      const response = await answer(context, record, found.file, found.status);
      response.headers.set('X-Views', String(views));
      return response;
    },
    async file(context, record, path) {
      const { files } = await indexes.read(record.content.indexKey);
      const file = files.find((candidate) => candidate.path === path.normalize('NFC'));
      if (file !== undefined) return await answer(context, record, file, 200);
      throw errors.siteFileNotFound(record.namespace, record.id, path);
    },
  };
}

/**
 * Redirects a browser that shows the answer as a document: to the address with a slash, so that relative links work, and
 * for a protected site to the address with a ticket, as its sandboxed pages request their parts without cookies.
 */
function redirectOf(read: ItemRead<'site'>, cookies: UnlockCookies): Response | null {
  const { context, record, sub, ticketPrefix } = read;
  // On its own host it has the root, and what it asks for carries its cookie.
  if (context.itemHost !== null || !isShownAsDocument(context.request)) return null;
  if (record.passwordHash !== null && ticketPrefix === '') {
    return redirectTo(
      { ...read, ticketPrefix: `~${cookies.ticket(record, shownProof(context))}/` },
      sub ?? '',
      303,
    );
  }
  return sub === null ? redirectTo(read, '') : null;
}

/** Redirects with the query as it was sent; with a ticket in the path, without the secrets that open the item. */
function redirectTo(
  { context, record: { namespace, id }, ticketPrefix }: ItemRead<'site'>,
  path: string,
  status: 303 | 308 = 308,
): Response {
  const query = ticketPrefix === '' ? context.search : withoutSecrets(context.search);
  const suffix = query === '' ? '' : `?${query}`;
  const root = context.itemHost === null ? `/${namespace}/${id}` : '';
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return new Response(null, {
    status,
    headers: {
      Location: `${root}/${ticketPrefix}${encoded}${suffix}`,
      'Cache-Control': 'no-store',
      Vary: 'Accept, Sec-Fetch-Dest',
    },
  });
}

function fileAnswer(
  context: RequestContext,
  record: ItemRecordOf<'site'>,
  file: SiteFile,
  separateHost: boolean,
): BytesAnswer {
  const { content, passwordHash, updatedAt } = record;
  const download = context.search !== '' && isSet(context.query(), 'dl');
  const name = file.path.slice(file.path.lastIndexOf('/') + 1);
  return {
    location: { blobKey: content.blobKey, offset: file.offset, length: file.length },
    etag: file.etag,
    changedAt: updatedAt,
    headers: {
      ...contentHeaders(record, FILE_CACHE),
      'Content-Type': file.contentType,
      ...filePolicy(file.contentType, contentOriginOf(context, separateHost), passwordHash !== null),
      ...(download ? { 'Content-Disposition': contentDisposition('attachment', name) } : {}),
    },
  };
}
