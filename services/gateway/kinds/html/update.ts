import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/html.ts';
import { etagOf } from '../../../../shared/items/etag.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { ifMatchTags } from '../../http/conditional.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import { hostingFields } from '../../items/hosting.ts';
import { updatedItem } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { byOwner } from '../../openapi/item-operations.ts';
import { ITEM, OWNER, OWNER_ONLY, parameters } from '../../openapi/parameters.ts';
import { failures, OWNER_CODES } from '../../openapi/responses.ts';
import { updatedSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { BODY_CODES, readPageBody, suggestedTitle } from './body.ts';
import { RAW } from './samples.ts';

export const updateHtmlRoute = (deps: UploadDependencies) =>
  new Elysia()
    .use(limited(deps))
    .put('/api/html/:ns/:id', ({ context, params }) => answerUpdateHtml(deps, context, params), {
      parse: 'none',
      detail: documented({
        operationId: 'updatePage',
        summary: 'Replace the content of a page',
        description:
          'The address stays, the time to live is not renewed. Tags, password, format, filename and showTopBar cannot change: what the body says of them is passed over. With `If-Match` only the version that you have read is replaced: the ETag is that of its source, of its stored bytes (`raw`) or of the answer to its last update.',
        tags: ['Pages'],
        security: OWNER_ONLY,
        parameters: parameters(...ITEM, ...OWNER, 'Title', 'IfMatch'),
        requestBody: {
          required: true,
          content: {
            ...json('PageUpdate', {
              content: { content: '# Launch\n\nWe are **live**.\n', title: 'Launched' },
            }),
            ...RAW,
          },
        },
        responses: {
          '200': ok(
            'It has the new content.',
            json('PageUpdated', {
              updated: { ...updatedSample('html', 28), format: 'MARKDOWN', title: 'Launched' },
            }),
            [[], ['ETag']],
          ),
          ...failures([
            ...OWNER_CODES,
            'CONTENT_BLOCKED',
            'QUARANTINED',
            'PRECONDITION_FAILED',
            ...BODY_CODES,
          ]),
        },
        'x-example-requests': [
          {
            summary: 'In JSON',
            status: 200,
            ...byOwner('html'),
            body: { type: 'application/json', example: 'content' },
          },
          {
            summary: 'Raw',
            status: 200,
            needs: 'html',
            query: { token: '{ownerToken}' },
            body: { type: 'text/markdown', example: 'markdown' },
          },
          {
            summary: 'Another version than there is',
            status: 412,
            needs: 'html',
            headers: { 'X-Owner-Token': '{ownerToken}', 'If-Match': '"another"' },
            body: { type: 'text/markdown', example: 'markdown' },
          },
        ],
      }),
    });

/** Replaces the content of a page by the one that a request brings. */
export async function answerUpdateHtml(
  deps: UploadDependencies,
  context: RequestContext,
  address: ItemAddress,
): Promise<Response> {
  const { record, owned } = await admitChange(deps, context, 'html', address);
  const ifMatch = ifMatchTags(context.request);
  const { bytes, text, fields } = await readPageBody(context, deps.budget);
  const issues = collectIssues();
  const asked = pick(context.query(), fields, ['title']);
  const title = parseText(asked, 'title', LIMITS.titleCharacters, issues);
  issues.throwIfAny();
  const blob = await storeBlob(deps, bytes);
  const { format } = record.content;
  const input = { ...owned, title, suggestedTitle: suggestedTitle(format, text), blob, ifMatch };
  const page = await call(deps.bus, pages.updateHtml, input, context.callContext);
  const described = { ...updatedItem('html', page, context.baseUrl), ...hostingFields(deps, context, page) };
  const body = { ...described, format: page.content.format };
  return Response.json(body, { headers: { ETag: `"${etagOf(page.content)}"` } });
}
