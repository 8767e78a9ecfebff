import { Elysia } from 'elysia';
import * as documents from '../../../../shared/contracts/json.ts';
import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { limited } from '../../admission/limited.ts';
import type { MemoryBudget } from '../../admission/memory-budget.ts';
import { readBody } from '../../admission/read-body.ts';
import { assertJsonDepth, decodeJson, parseJson } from '../../http/json.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { CREATE, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample } from '../../openapi/samples.ts';
import { parseCreate } from '../../uploads/create-parameters.ts';
import { completeCreate, hashPasswordOf, openCreate } from '../../uploads/create-request.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { storeBlob } from '../../uploads/store-blob.ts';

export const createJsonRoute = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).post('/api/json', ({ context }) => answerCreateJson(deps, context), {
    limit: 'uploads',
    parse: 'none',
    detail: documented({
      operationId: 'createDocument',
      summary: 'Publish a document',
      description:
        'The body is the document, kept byte for byte: any valid JSON text in UTF-8 of up to 1 MB and 512 levels. An object with a `document` field is a document like any other. A namespace holds up to 10,000 (in `public`: of one owner).',
      tags: ['JSON'],
      security: OWNER_OPTIONAL,
      parameters: parameters(...CREATE),
      requestBody: {
        required: true,
        content: json('AnyJson', { object: DOCUMENT, array: [1, 2, 3], text: 'Hello' }),
      },
      responses: {
        '201': created(json('DocumentCreated', { document: createdSample('json', 62) })),
        ...failures([...CREATE_CODES, 'JSON_INVALID', 'TOO_LARGE', 'LIMIT_REACHED']),
      },
      'x-example-requests': [
        { summary: 'An object', status: 201, body: { type: 'application/json', example: 'object' } },
        { summary: 'An array', status: 201, body: { type: 'application/json', example: 'array' } },
        { summary: 'A text', status: 201, body: { type: 'application/json', example: 'text' } },
        {
          summary: 'With parameters',
          status: 201,
          query: { ns: 'team-notes', tags: 'docs', ttl: '30d' },
          headers: { 'X-Password': 'correct horse' },
          body: { type: 'application/json', example: 'object' },
        },
        {
          summary: 'The address alone as the answer',
          status: 201,
          headers: { Accept: 'text/plain' },
          body: { type: 'application/json', example: 'object' },
        },
      ],
    }),
  });

/** Publishes the document that a request brings. */
export async function answerCreateJson(deps: UploadDependencies, context: RequestContext): Promise<Response> {
  const head = await openCreate(deps, context, { supportedTypes: ['application/json'], parameters: [] });
  const parameters = parseCreate(context, {}, collectIssues());
  const { bytes, excerpt } = await readDocument(context, deps.budget);
  const [blob, passwordHash] = await Promise.all([
    storeBlob(deps, bytes),
    hashPasswordOf(deps, context, parameters),
  ]);
  const identity = ['json', blob.sha256];
  const create = completeCreate(deps, context, head, { ...parameters, passwordHash }, identity);
  const input = { ...create.input, blob, excerpt };
  return await answerCreate(deps, context, 'json', documents.createJson, { ...create, input });
}

/** The document of the examples. */
export const DOCUMENT = { name: 'Perch', launched: true, cities: ['Berlin', 'Lisbon'] };

/** A JSON document as it arrived, and its beginning for lists. */
interface DocumentBody {
  bytes: Uint8Array;
  excerpt: string;
}

/** Bytes of a document that lists show (specification 6.4). */
const EXCERPT_BYTES = 1_024;

/** A byte order mark stays: it is no JSON, and the parser says so. */
const WITH_MARK = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const encoder = new TextEncoder();

/**
 * A body that is the document itself, whatever its Content-Type says: checked, and kept byte for byte.
 * @throws TOO_LARGE, JSON_INVALID
 */
export async function readDocument(context: RequestContext, budget: MemoryBudget): Promise<DocumentBody> {
  const tooLarge = () => errors.tooLarge('The document', LIMITS.jsonBytes);
  const bytes = await readBody(context, { bytes: LIMITS.jsonBytes, tooLarge }, budget);
  if (bytes.length === 0) throw errors.jsonInvalid('it is empty');
  const text = decodeJson(bytes, WITH_MARK);
  assertJsonDepth(text);
  parseJson(text);
  return { bytes, excerpt: beginningOf(text) };
}

/** The beginning of a text: as many whole characters as fit. */
const beginningOf = (text: string): string =>
  text.slice(0, encoder.encodeInto(text, new Uint8Array(EXCERPT_BYTES)).read);
