import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ok, text } from '../../openapi/answers.ts';
import type { LoadDocument } from '../../openapi/api-document.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import { documented } from '../../openapi/documented.ts';
import type { MediaType, Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { fixedBody, fixedResponse, loadOnce } from '../../web/fixed-body.ts';

const BEGINNING = { openapi: '3.1.1', info: { title: 'Perch', version: '1.88.0' }, paths: {} };

/** The document as JSON, as an answer. */
export const DOCUMENT_BODY: Record<string, MediaType> = {
  'application/json': {
    schema: Type.Object({ openapi: Type.String({ pattern: '^3\\.1\\.' }) }),
    examples: { beginning: { value: BEGINNING } },
  },
};

const operation = (operationId: string, summary: string, body: Record<string, MediaType>): Operation => ({
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
        operation('readOpenApiJson', 'This documentation as OpenAPI, below /api', DOCUMENT_BODY),
      ),
    })
    .get('/api/openapi.yaml', async ({ request }) => fixedResponse(request, await asYaml(), 'no-cache'), {
      detail: documented(
        operation(
          'readOpenApiYaml',
          'This documentation as OpenAPI in YAML',
          text('application/yaml', Bun.YAML.stringify(BEGINNING, null, 2), 'beginning'),
        ),
      ),
    })
    .get('/v3/api-docs', async ({ request }) => fixedResponse(request, await asJson(), 'no-cache'), {
      detail: documented(
        operation('readApiDocs', 'This documentation as OpenAPI, by another name', DOCUMENT_BODY),
      ),
    });
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
