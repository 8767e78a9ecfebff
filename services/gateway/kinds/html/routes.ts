import { Elysia } from 'elysia';
import * as pages from '../../../../shared/contracts/html.ts';
import { limited } from '../../admission/limited.ts';
import { isSet } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { answerRead } from '../../items/authorize.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { answerOwnerList } from '../../items/owner-list.ts';
import { answerRemoval } from '../../items/removal.ts';
import { listedItem } from '../../items/serializer.ts';
import { json, notModified, served, text } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { ownerList, removal } from '../../openapi/item-operations.ts';
import { CONDITIONS, ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures, READER_CODES } from '../../openapi/responses.ts';
import { listedSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { createHtmlRoute, type PublishFile } from './create.ts';
import { previewHtmlRoute } from './preview.ts';
import type { HtmlResponder } from './respond.ts';
import { HTML, MARKDOWN, PAGE } from './samples.ts';
import { readSettingsRoute, readSourceRoute } from './settings-and-source.ts';
import { updateHtmlRoute } from './update.ts';

/** HTML, markdown and text pages (specification, chapter 4). */
export const htmlRoutes = (deps: UploadDependencies, responder: HtmlResponder, publishFile: PublishFile) =>
  new Elysia()
    .use(listHtmlRoute(deps))
    .use(createHtmlRoute(deps, publishFile))
    .use(previewHtmlRoute(deps))
    .use(readHtmlRoute(deps, responder))
    .use(updateHtmlRoute(deps))
    .use(removeHtmlRoute(deps))
    .use(readSettingsRoute(deps))
    .use(readSourceRoute(deps));

const listHtmlRoute = (deps: ReadDependencies) =>
  new Elysia().use(limited(deps)).get(
    '/api/html',
    ({ context }) =>
      answerOwnerList(deps, context, pages.listHtml, (page, views) => ({
        ...listedItem('html', page, views, context.baseUrl),
        format: page.content.format,
        filename: page.content.filename,
        size: page.sizeBytes,
      })),
    {
      detail: documented(
        ownerList(
          {
            operationId: 'listPages',
            summary: 'List your pages',
            description: 'The pages that the owner token owns in a namespace.',
            tag: 'Pages',
            needs: 'html',
          },
          json('PageList', { pages: [{ ...listedSample, ...PAGE, size: 38 }], none: [] }),
        ),
      ),
    },
  );

const readHtmlRoute = (deps: ReadDependencies, responder: HtmlResponder) =>
  new Elysia()
    .use(limited(deps))
    .get('/api/html/:ns/:id', ({ context, params }) => answerReadHtml(deps, responder, context, params), {
      detail: documented({
        operationId: 'readPage',
        summary: 'Read a page',
        description:
          'The rendered page, as its short URL shows it; a listed one with canonical and OpenGraph tags, but for those it brings itself. With `raw` it is what was stored. Does not count a view.',
        tags: ['Pages'],
        security: MAY_NEED_PASSWORD,
        parameters: parameters(...ITEM, ...READER, 'Raw', 'Download', ...CONDITIONS),
        responses: {
          '200': served(
            'The page. With `raw` or `dl` the stored bytes in their own type.',
            {
              ...text('text/html', HTML, 'rendered'),
              ...text('text/*', MARKDOWN, 'raw'),
              ...text('application/*', 'launch: Monday\n', 'raw'),
            },
            ['ETag', 'X-Views', 'X-Show-Top-Bar'],
          ),
          ...notModified(['ETag', 'X-Views', 'X-Show-Top-Bar']),
          ...failures([...READER_CODES, 'QUARANTINED', 'PRECONDITION_FAILED']),
        },
        'x-example-requests': [
          { summary: 'A page', status: 200, needs: 'html' },
          { summary: 'Its source', status: 200, needs: 'html', query: { raw: '1' } },
          { summary: 'As a download', status: 200, needs: 'html', query: { dl: '1' } },
          {
            summary: 'With a password',
            status: 200,
            needs: 'locked html',
            headers: { 'X-Password': 'correct horse' },
          },
          { summary: 'Unchanged', status: 304, needs: 'html', headers: { 'If-None-Match': '{etag}' } },
        ],
      }),
    });

/** Answers with a page, in the form that the query asks for. */
export async function answerReadHtml(
  deps: ReadDependencies,
  responder: HtmlResponder,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const query = context.query();
  const presentation = { raw: isSet(query, 'raw'), download: isSet(query, 'dl'), origin: 'opaque' } as const;
  return await answerRead(deps, context, 'html', address, ({ record, views }) =>
    responder.respond(context, record, presentation, views),
  );
}

const removeHtmlRoute = (deps: ReadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .delete('/api/html/:ns/:id', ({ context, params }) => answerRemoval(deps, context, 'html', params), {
      parse: 'none',
      detail: documented(
        removal({
          operationId: 'removePage',
          summary: 'Delete a page',
          description:
            'Frees the short URL. In `public` it answers 410 from then on, elsewhere 404. With `If-Match` only the version that you have read is deleted: the ETag is one that an update takes.',
          tag: 'Pages',
          needs: 'html',
          conditions: ['IfMatch'],
        }),
      ),
    });
