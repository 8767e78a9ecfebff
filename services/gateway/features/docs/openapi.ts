import { Type } from '@sinclair/typebox';
import { ok, redirect } from '../../openapi/answers.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';

export const showDocs: Operation = {
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

export const readDocument: Operation = {
  operationId: 'readDocs',
  summary: 'This documentation as OpenAPI',
  description: 'The OpenAPI 3.1 document of the whole interface.',
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok(
      'The document.',
      {
        'application/json': {
          schema: Type.Object({ openapi: Type.String({ pattern: '^3\\.1\\.' }) }),
          examples: {
            beginning: {
              value: { openapi: '3.1.1', info: { title: 'Perch', version: '1.87.0' }, paths: {} },
            },
          },
        },
      },
      CACHEABLE,
    ),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The document', status: 200 }],
};
