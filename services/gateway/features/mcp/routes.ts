import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import { documented } from '../../openapi/documented.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import { exampleRef, type Operation, type Response, schemaRef } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import { createMcpEndpoint } from './endpoint.ts';
import { fileTools } from './file-tools.ts';
import { itemTools } from './item-tools.ts';
import { pageTools } from './page-tools.ts';
import type { Tool } from './tool.ts';
import type { McpOperations } from './tool-call.ts';
import type { Schemas } from './tool-results.ts';
import { valueTools } from './value-tools.ts';

const RequestId = Type.Union([
  Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  Type.String(),
]);
/** Id as it came, also in the error about an id that is not taken. */
const AnsweredId = Type.Union([Type.Number(), Type.String()]);

export const MCP_SCHEMAS: Record<string, TSchema> = {
  McpRequest: Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Optional(RequestId),
      method: Type.String({ minLength: 1 }),
      params: Type.Optional(Type.Object({})),
    },
    {
      additionalProperties: false,
      description: 'A request of the Model Context Protocol (JSON-RPC 2.0), or without `id` a notification.',
    },
  ),
  McpAnswer: Type.Object(
    {
      jsonrpc: Type.Literal('2.0'),
      id: Type.Union([AnsweredId, Type.Null()]),
      result: Type.Optional(Type.Object({})),
      error: Type.Optional(
        Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(Type.Unknown()) }),
      ),
    },
    {
      description: 'The result, or an error of the protocol. A tool that failed has a result with `isError`.',
    },
  ),
};

/** One answer, or for a batch, which revision 2025-03-26 of the protocol allows, one for each request. */
const ANSWERS = Type.Unsafe({
  anyOf: [schemaRef('McpAnswer'), Type.Array(schemaRef('McpAnswer'))],
});

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const CALL = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_limits', arguments: {} } };
const ANSWER = { jsonrpc: '2.0', id: 2, result: { content: [], structuredContent: {} } };
const UNKNOWN = { jsonrpc: '2.0', id: 3, error: { code: -32_601, message: 'Method not found' } };

/** An error of this interface, or one of the protocol. */
const refused = (description: string, ...codes: Array<'VALIDATION_FAILED' | 'JSON_INVALID'>): Response => ({
  description,
  headers: headers(['Cache-Control'], RATE_LIMIT),
  content: {
    'application/json': {
      schema: Type.Unsafe({ anyOf: [schemaRef('Error'), schemaRef('McpAnswer')] }),
      examples: {
        unknown: { value: UNKNOWN },
        ...Object.fromEntries(codes.map((code) => [code, exampleRef(code)])),
      },
    },
  },
});

const OPERATION: Operation = {
  operationId: 'mcp',
  summary: 'Tools for agents',
  description:
    'The Model Context Protocol by Streamable HTTP, without sessions: an agent adds this address, and has the tools that `tools/list` names. They do what the operations of this document do, under the same rules and limits. The owner token is an argument of the tools, or the header X-Owner-Token of the connection. Requests of pages of other origins are refused.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: {
      'application/json': {
        schema: schemaRef('McpRequest'),
        examples: { list: { value: LIST }, call: { value: CALL } },
      },
    },
  },
  responses: {
    '200': {
      description: 'The answer. Also of a tool that failed: see `isError`.',
      headers: headers(['Cache-Control'], RATE_LIMIT),
      content: {
        'application/json': { schema: ANSWERS, examples: { answer: { value: ANSWER } } },
      },
    },
    '202': { description: 'A notification was taken.', headers: headers(['Cache-Control'], RATE_LIMIT) },
    ...failures(['CROSS_SITE_FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED']),
    '400': refused(
      'It is no message of a revision that is spoken here.',
      'VALIDATION_FAILED',
      'JSON_INVALID',
    ),
    '404': refused('There is no such method in this revision.'),
  },
  'x-example-requests': [
    { summary: 'The tools', status: 200, body: { type: 'application/json', example: 'list' } },
    { summary: 'A call of one', status: 200, body: { type: 'application/json', example: 'call' } },
  ],
};

/** All tools. @param schemas those of the interface document, which results follow */
export const createTools = (schemas: Schemas): Tool[] => [
  ...pageTools(schemas),
  ...fileTools(schemas),
  ...valueTools(schemas),
  ...itemTools(schemas),
];

/** POST /mcp (specification, chapter 25). */
export function mcpRoutes(
  deps: Parameters<typeof createMcpEndpoint>[0],
  operations: McpOperations,
  schemas: Schemas,
) {
  const answer = createMcpEndpoint(deps, () => createTools(schemas), operations);
  return new Elysia().use(requestScope).post('/mcp', ({ context }) => answer(context), {
    parse: 'none',
    detail: documented(OPERATION, 'agent'),
  });
}
