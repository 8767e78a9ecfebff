import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as pages from '../../../../shared/contracts/html.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { heldJson } from '../../items/response-memory.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { parseFilename } from '../../uploads/create-parameters.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { BODY_CODES, decideFormat, readPageBody, suggestedTitle } from './body.ts';
import { HTML, MARKDOWN, RAW } from './samples.ts';

/** Routes of POST /api/preview (specification 4.10). */
export const previewHtmlRoute = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).post('/api/preview', ({ context }) => answerPreviewHtml(deps, context), {
    limit: 'previews',
    parse: 'none',
    detail: documented({
      operationId: 'previewPage',
      summary: 'See a page before it is published',
      description:
        'Renders HTML, markdown or text of up to 1 MB as a create would, raw or in a JSON body, and stores nothing. A parameter may be sent in the query or in the JSON body; the query wins. The answer is JSON, so that nothing runs with the origin of the service.',
      tags: ['Pages'],
      security: [],
      parameters: parameters('Title', 'Format', 'Filename'),
      requestBody: {
        required: true,
        content: {
          ...json('PagePreview', {
            html: { content: HTML, format: 'html' },
            markdown: { content: MARKDOWN, format: 'markdown', title: 'Launch' },
          }),
          ...RAW,
        },
      },
      responses: {
        '200': ok(
          'What people would see.',
          json('PagePreviewed', { page: { format: 'HTML', title: 'Launch', html: HTML } }),
          [['Cache-Control']],
        ),
        ...failures(['CLIENT_BLOCKED', ...BODY_CODES]),
      },
      'x-example-requests': [
        {
          summary: 'Markdown in JSON',
          status: 200,
          body: { type: 'application/json', example: 'markdown' },
        },
        {
          summary: 'A raw text, highlighted',
          status: 200,
          query: { title: 'Launch' },
          body: { type: 'text/yaml', example: 'yaml' },
        },
      ],
    }),
  });

/** Answers with a page as people would see it. Stored HTML is its own view, so it is not sent to be rendered. */
async function answerPreviewHtml(deps: UploadDependencies, context: RequestContext): Promise<Response> {
  const body = await readPageBody(context, deps.budget, LIMITS.previewBytes);
  const issues = collectIssues();
  const query = context.query();
  const given = parseText(pick(query, body.fields, ['title']), 'title', LIMITS.titleCharacters, issues);
  const filename = parseFilename(pick(query, body.fields, ['filename']), issues);
  const { format, language } = decideFormat(body, query, issues);
  issues.throwIfAny();
  const content = body.text;
  const title = given ?? suggestedTitle(format, content);
  const page =
    format === 'HTML'
      ? { title: title ?? filename ?? '', html: content }
      : await call(
          deps.bus,
          pages.previewHtml,
          { format, language, title, filename, content },
          context.callContext,
        );
  const preview = { format, title: page.title, html: page.html };
  return heldJson(deps.responseMemory, context, preview, { 'Cache-Control': 'private, no-store' });
}
