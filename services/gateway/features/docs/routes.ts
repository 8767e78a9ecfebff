import { swagger } from '@elysiajs/swagger';
import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { html } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import { requestScope } from '../../http/request-context.ts';
import { CACHEABLE, ok, redirect, text, unchanged } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import {
  type ApiDocument,
  INTERFACE_VERSION,
  type LoadDocument,
  type MediaType,
  type Operation,
} from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { MAIN_ID, siteHeader } from '../../pages/page.ts';
import { servicePage } from '../../pages/service-page.ts';
import { assetAddress, scriptAddress } from '../../web/assets.ts';
import { type FixedBody, fixedBody, fixedResponse, loadOnce } from '../../web/fixed-body.ts';
import { textsIn } from '../../web/texts/texts.ts';

const BEGINNING = { openapi: '3.1.1', info: { title: 'Perch', version: INTERFACE_VERSION }, paths: {} };

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
  operationId,
  summary,
  description: 'The document of `/docs/json`, where other clients look for it.',
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
        path: '/docs',
        specPath: DOCUMENT_PATH,
        provider: 'swagger-ui',
        excludeStaticFile: false,
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

/**
 * The page at /docs, with Swagger UI. Its style sheet replaces that of the other pages, which conflicts with Swagger
 * UI's. Deferred scripts and modules run in document order, once the page is parsed.
 */
export function docsPage(language: Language = 'en'): string {
  const { docs } = textsIn(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${docs.description}">
<title>API · Perch</title>
<link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/swagger-ui.css">
<link rel="stylesheet" href="${assetAddress('docs.css')}">
<script defer src="/assets/swagger-ui-bundle.js"></script>
<script type="module" src="${scriptAddress('docs', language)}"></script>
</head>
<body>
${siteHeader(language, '/docs')}
<main id="${MAIN_ID}" tabindex="-1"><div id="api"><p class="loading">${docs.loading.before}<a href="/docs/json">${docs.loading.link}</a>${docs.loading.after}</p></div></main>
</body>
</html>
`.toString();
}

/**
 * The content security policy of the documentation page alone. Like that of the other pages it names the assets' path, as
 * hosted content is on this host, too. Swagger UI sets `style` attributes, has its icons in `data:` addresses, shows
 * pictures it got as answers from `blob:` ones, and sends what is tried to BASE_URL, by whatever name the visitor came.
 */
function docsPagePolicy(host: string | null, baseUrl: string): string {
  const assets = /^[\w.:[\]-]{1,255}$/.test(host ?? '') ? `${host}/assets/` : "'none'";
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `style-src ${assets}`,
    "style-src-attr 'unsafe-inline'",
    `img-src ${assets} data: blob:`,
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
