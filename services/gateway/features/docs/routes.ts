import { swagger } from '@elysiajs/swagger';
import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import { ok, redirect } from '../../openapi/answers.ts';
import type { ApiDocument } from '../../openapi/api-document.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { servicePage } from '../../pages/service-page.ts';
import { type FixedBody, fixedBody, fixedResponse } from '../../web/fixed-body.ts';
import { docsPage, docsPagePolicy } from './docs-page.ts';
import { DOCUMENT_BODY } from './document-routes.ts';

/** Where @elysiajs/swagger serves the document. */
export const DOCUMENT_PATH = '/docs/json';

const SHOW_DOCS: Operation = {
  operationId: 'showDocs',
  summary: 'This documentation',
  description: 'A page to read the interface and to try it.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'API · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true, local: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200 }],
};

/** The operation at `DOCUMENT_PATH`, which is a route of the plugin. */
export const READ_DOCUMENT: Operation = {
  operationId: 'readDocs',
  summary: 'This documentation as OpenAPI',
  description: 'The OpenAPI 3.1 document of the whole interface.',
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok('The document.', DOCUMENT_BODY, CACHEABLE),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The document', status: 200 }],
};

/**
 * The interface, documented: as OpenAPI, made by @elysiajs/swagger from what the routes declare, and as a page. The page
 * of the plugin loads its scripts from elsewhere; ours, which takes its place, has them from `/assets`.
 */
export function docsRoutes(documentation: ApiDocument) {
  let made: FixedBody | null = null;

  return new Elysia()
    .onAfterHandle(({ path, request, response }) => {
      if (path !== DOCUMENT_PATH) return;
      made ??= fixedBody(Buffer.from(JSON.stringify(response)), 'application/json');
      return fixedResponse(request, made, 'no-cache');
    })
    .use(
      swagger({
        ...{ path: '/docs', specPath: DOCUMENT_PATH, provider: 'swagger-ui', excludeStaticFile: false },
        documentation: documentation as never,
      }),
    )
    .use(requestScope)
    .get(
      '/docs',
      ({ context, request }) => {
        const policy = docsPagePolicy(request.headers.get('host'), context.baseUrl);
        return servicePage(context, docsPage(context.language), {
          headers: { 'Content-Security-Policy': policy },
        });
      },
      { detail: documented(SHOW_DOCS, 'page') },
    );
}
