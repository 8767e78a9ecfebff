import { swagger } from '@elysiajs/swagger';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import { ok, redirect, text } from '../../openapi/answers.ts';
import type { ApiDocument, LoadDocument } from '../../openapi/api-document.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import { documented } from '../../openapi/documented.ts';
import type { MediaType, Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { servicePage } from '../../pages/service-page.ts';
import { type FixedBody, fixedBody, fixedResponse, loadOnce } from '../../web/fixed-body.ts';
import { docsPage, docsPagePolicy } from './docs-page.ts';

const BEGINNING = { openapi: '3.1.1', info: { title: 'Perch', version: '1.88.0' }, paths: {} };

/** The document as JSON, as an answer. */
const DOCUMENT_BODY: Record<string, MediaType> = {
  'application/json': {
    schema: Type.Object({ openapi: Type.String({ pattern: '^3\\.1\\.' }) }),
    examples: { beginning: { value: BEGINNING } },
  },
};

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

/** The document at an address. */
const reading = (operationId: string, summary: string, body: Record<string, MediaType>): Operation => ({
  ...{ operationId, summary, description: 'The document of `/docs/json`, where other clients look for it.' },
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok('The document.', body, CACHEABLE),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The document', status: 200 }],
});

/** The operation at `DOCUMENT_PATH`, which is a route of the plugin. */
export const READ_DOCUMENT: Operation = {
  ...reading('readDocs', 'This documentation as OpenAPI', DOCUMENT_BODY),
  description: 'The OpenAPI 3.1 document of the whole interface.',
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

/** The OpenAPI document under the names that generators and other clients try (specification 19.1). */
export function documentRoutes(loadDocument: LoadDocument) {
  const asJson = loadOnce(async () =>
    fixedBody(encode(JSON.stringify(await loadDocument())), 'application/json'),
  );
  const asYaml = loadOnce(async () =>
    fixedBody(encode(Bun.YAML.stringify(await loadDocument(), null, 2)), 'application/yaml; charset=utf-8'),
  );
  return new Elysia()
    .get('/api/openapi.json', async ({ request }) => fixedResponse(request, await asJson(), 'no-cache'), {
      detail: documented(
        reading('readOpenApiJson', 'This documentation as OpenAPI, below /api', DOCUMENT_BODY),
      ),
    })
    .get('/api/openapi.yaml', async ({ request }) => fixedResponse(request, await asYaml(), 'no-cache'), {
      detail: documented(
        reading(
          'readOpenApiYaml',
          'This documentation as OpenAPI in YAML',
          text('application/yaml', Bun.YAML.stringify(BEGINNING, null, 2), 'beginning'),
        ),
      ),
    })
    .get('/v3/api-docs', async ({ request }) => fixedResponse(request, await asJson(), 'no-cache'), {
      detail: documented(
        reading('readApiDocs', 'This documentation as OpenAPI, by another name', DOCUMENT_BODY),
      ),
    });
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
