import type { Static } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { Config } from '../../../../shared/config.ts';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/html.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { readBlob } from '../../../../shared/items/read-blob.ts';
import { LONG_READS } from '../../../../shared/ports/blob-store.ts';
import { limited } from '../../admission/limited.ts';
import { hashOwnerToken, requireOwnerOfSettings } from '../../auth/owner-token.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { type ItemAddress, itemNamed } from '../../items/find-live-item.ts';
import { hostingFields } from '../../items/hosting.ts';
import { instant, quarantineField } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { HeaderName } from '../../openapi/headers.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import type { MediaType, Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { hostingSample, SAMPLE } from '../../openapi/samples.ts';
import { MARKDOWN, PAGE } from './samples.ts';

export const readSettingsRoute = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/html/:ns/:id/settings',
    async ({ context, params }) => {
      const page = await describePage(deps, context, params);
      const { hasPassword } = page;
      const settings = { ...metadataOf(page, deps.config), hasPassword };
      return Response.json({ ...settings, ...hostingFields(deps, context, page) }, { headers: OWNERS_ALONE });
    },
    {
      limit: 'reads',
      detail: documented(
        operation(
          {
            operationId: 'readPageSettings',
            summary: 'Read the settings of a page',
            description:
              'All that there is to know of a page, but for its content. A blank token is 400 here, not 403.',
          },
          json('PageSettings', { settings: { ...METADATA_SAMPLE, hasPassword: false, ...hostingSample } }),
        ),
      ),
    },
  );

export const readSourceRoute = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/html/:ns/:id/source',
    async ({ context, params }) => {
      const page = await describePage(deps, context, params);
      const body = await sourceOf(deps, context, page);
      const headers = { 'Content-Type': 'application/json;charset=utf-8', ETag: `"${etagOf(page.content)}"` };
      return new Response(body, { headers: { ...OWNERS_ALONE, ...headers } });
    },
    {
      limit: 'reads',
      detail: documented(
        operation(
          {
            operationId: 'readPageSource',
            summary: 'Read the source of a page',
            description:
              'The body as it was sent, not rendered, and what is known of it. Its ETag is for `If-Match` of an update. A blank token is 400 here, not 403.',
          },
          json('PageSource', { source: { ...METADATA_SAMPLE, content: MARKDOWN } }),
          ['ETag'],
        ),
      ),
    },
  );

type Page = Static<typeof pages.HtmlItem>;

/** Asks `content` for a page of the request's owner. */
async function describePage(
  { bus }: ReadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Page> {
  const ownerHash = hashOwnerToken(requireOwnerOfSettings(context));
  const input = { ...itemNamed(address), ownerHash };
  const page = await call(bus, pages.describeHtml, input, context.callContext);
  context.item = { kind: 'html', namespace: page.namespace, id: page.id };
  return page;
}

/** No cache keeps the answer: with `?token=` even its address is a secret. */
const OWNERS_ALONE = { 'Cache-Control': 'private, no-store' };

/** The source as JSON. A long one is streamed, so that a slow reader does not hold it in memory. */
async function sourceOf(
  { blobs, config, reader }: ReadDependencies,
  { clientKey }: RequestContext,
  page: Page,
): Promise<string | ReadableStream<Uint8Array>> {
  const record = metadataOf(page, config);
  const { blobKey } = page.content;
  const { sizeBytes } = page;
  if (sizeBytes <= LONG_READS.aboveBytes) {
    const bytes = await readBlob(blobs, blobKey, sizeBytes);
    const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    const whole = JSON.stringify({ ...record, content });
    if (whole.length <= LONG_READS.aboveBytes) return whole;
  }
  return sourceStream(record, await reader.stream({ blobKey, offset: 0, length: sizeBytes }, clientKey));
}

/** The fields that settings and source share (specification 4.7). */
function metadataOf(page: Page, { showTopBarDefault }: Config) {
  const { namespace, id, title, ttlDays, tags, sizeBytes, content } = page;
  const { format, language, filename, showTopBar } = content;
  return {
    namespace,
    id,
    format,
    language,
    title,
    filename,
    showTopBar: showTopBar ?? showTopBarDefault,
    showTopBarOverride: showTopBar,
    ttlDays,
    tags,
    sizeBytes,
    ...quarantineField(page),
    createdAt: instant(page.createdAt),
    updatedAt: instant(page.updatedAt),
    expiresAt: instant(page.expiresAt),
  };
}

const METADATA_SAMPLE = {
  ...SAMPLE.name,
  ...PAGE,
  language: null,
  showTopBar: false,
  showTopBarOverride: null,
  ttlDays: 15,
  tags: ['docs', 'launch'],
  sizeBytes: 38,
  createdAt: SAMPLE.createdAt,
  updatedAt: SAMPLE.updatedAt,
  expiresAt: SAMPLE.expiresAt,
};

/** Settings and source differ in their texts and bodies only. */
const operation = (
  texts: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  body: Record<string, MediaType>,
  headers: HeaderName[] = [],
): Operation => ({
  ...texts,
  tags: ['Pages'],
  security: OWNER_ONLY,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '200': ok('For its owner alone.', body, [['Cache-Control', ...headers]]),
    ...failures(['OWNER_TOKEN_BLANK', 'OWNER_TOKEN_WRONG', 'NOT_FOUND', 'QUARANTINED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'A page', status: 200, ...byOwner('html') },
    { summary: 'Without a token', status: 400, needs: 'html' },
  ],
});

/**
 * The JSON of a record and, as its last field `content`, of a text whose bytes come in pieces. Holds a piece at a time, and
 * reads on only when more is asked for.
 */
function sourceStream(record: object, source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const end = '"}';

  /** The next non-empty piece, escaped; `null` at the end. */
  const nextPiece = async (): Promise<string | null> => {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== '') return escaped(text);
      if (done) return null;
    }
  };

  return new ReadableStream(
    {
      start(controller) {
        const empty = JSON.stringify({ ...record, content: '' });
        controller.enqueue(encoder.encode(empty.slice(0, -end.length)));
      },
      async pull(controller) {
        const piece = await nextPiece();
        controller.enqueue(encoder.encode(piece ?? end));
        if (piece === null) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** A text as it stands between the quotes of a JSON string; no character is divided between two pieces. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
