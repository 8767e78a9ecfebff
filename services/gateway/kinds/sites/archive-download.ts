import { makeZip, predictLength } from 'client-zip';
import { Elysia } from 'elysia';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { SiteFile } from '../../../../shared/items/site-index.ts';
import { limited } from '../../admission/limited.ts';
import { CORS_HEADERS } from '../../http/common-headers.ts';
import { hasCurrent, isUnmodified, lastModified, refuseModified } from '../../http/conditional.ts';
import { contentDisposition } from '../../http/content-disposition.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { answerRead } from '../../items/authorize.ts';
import { contentHeaders } from '../../items/content-headers.ts';
import { bytes, notModified, served } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { CONDITIONS, ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures, READER_CODES } from '../../openapi/responses.ts';
import type { SiteDependencies } from './dependencies.ts';
import { folderAround } from './site-layout.ts';

/** Streams all files of a site as a ZIP (specification 8.6). */
export const readSiteArchiveRoute = (deps: SiteDependencies) =>
  new Elysia()
    .use(limited(deps))
    .get(
      '/api/sites/:ns/:id/archive',
      ({ context, params }) =>
        answerRead(deps, context, 'site', params, ({ record }) => answerArchive(deps, context, record)),
      {
        detail: documented({
          operationId: 'readSiteArchive',
          summary: 'Download a site as a ZIP',
          description:
            'All its files, uncompressed, as they are at this moment; above 4 GB as ZIP64. POST and PUT of sites take it as it is; a POST names the `entry` again if the site was given one. Does not count a view.',
          tags: ['Sites'],
          security: MAY_NEED_PASSWORD,
          parameters: parameters(...ITEM, ...READER, ...CONDITIONS),
          responses: {
            '200': served('The archive.', bytes('application/zip', 'A ZIP', 'PK'), [
              ...(['ETag', 'Content-Disposition'] as const),
            ]),
            ...notModified(),
            ...failures([...READER_CODES, 'QUARANTINED', 'PRECONDITION_FAILED']),
          },
          'x-example-requests': [
            { summary: 'A site', status: 200, needs: 'site' },
            { summary: 'Unchanged', status: 304, needs: 'site', headers: { 'If-None-Match': '{etag}' } },
          ],
        }),
      },
    );

/** Grows when archives of one content get other bytes. */
const ARCHIVE_GENERATION = 2;

async function answerArchive(
  { indexes, reader, clock }: SiteDependencies,
  context: RequestContext,
  record: ItemRecordOf<'site'>,
): Promise<Response> {
  const { id, content, updatedAt } = record;
  const etag = `"${Bun.SHA256.hash(`${content.indexKey} ${updatedAt} ${ARCHIVE_GENERATION}`, 'hex').slice(0, 32)}"`;
  const headers: Record<string, string> = {
    ...CORS_HEADERS,
    ...contentHeaders(record),
    ETag: etag,
    ...lastModified(updatedAt, clock.now()),
    'Content-Type': 'application/zip',
    'Content-Disposition': contentDisposition('attachment', `${id}.zip`),
  };
  const { request } = context;
  refuseModified(request.headers, headers['Last-Modified']);
  if (hasCurrent(request, etag) || isUnmodified(request.headers, headers['Last-Modified']))
    return new Response(null, { status: 304, headers });
  const { files } = await indexes.read(content.indexKey);
  const folder = folderAround(files);
  const inOrder = files
    .map((file) => ({ ...file, path: `${folder}${file.path}` }))
    .sort((a, b) => a.offset - b.offset);
  headers['Content-Length'] = String(zipLength(inOrder));
  if (context.isHead) return new Response(null, { headers });
  const length = files.reduce((sum, file) => sum + file.length, 0);
  const source =
    length === 0
      ? new Blob([]).stream()
      : await reader.stream({ blobKey: content.blobKey, offset: 0, length }, context.clientKey);
  return new Response(zipStream(inOrder, source, new Date(updatedAt)), { headers });
}

/** Bytes of the ZIP that `zipStream` makes. */
export const zipLength = (files: SiteFile[]): bigint =>
  predictLength(files.map(({ path, length }) => ({ name: path, size: length })));

/**
 * Makes a ZIP of the files of a site while their bytes come, which are stored as they are. Holds a chunk at a time, and
 * reads on only when more is asked for.
 * @param files in the order of their offsets, without gaps
 * @param source their bytes, back to back
 */
export function zipStream(
  files: SiteFile[],
  source: ReadableStream<Uint8Array>,
  lastModified: Date,
): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const zip = makeZip(entriesOf(files, reader, lastModified)).getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await zip.read();
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      // The library does not tell its source that nobody reads any more.
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
}

async function* entriesOf(files: SiteFile[], reader: Reader, lastModified: Date) {
  let rest: Uint8Array = new Uint8Array();

  async function* take(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (rest.length === 0) {
        const next = await reader.read();
        if (next.done || next.value === undefined) throw new Error('a site ended before its files did');
        rest = next.value;
      }
      const piece = rest.subarray(0, left);
      rest = rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  for (const { path, length } of files) {
    const input = length === 0 ? new Uint8Array() : take(length);
    yield { name: path, size: length, lastModified, input };
  }
  // Its end gives the source's place back.
  await reader.read();
}
