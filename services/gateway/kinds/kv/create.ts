import { createHash } from 'node:crypto';
import { Elysia } from 'elysia';
import * as kv from '../../../../shared/contracts/kv.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { CREATE, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample, SAMPLE } from '../../openapi/samples.ts';
import { parseCreate } from '../../uploads/create-parameters.ts';
import { completeCreate, hashPasswordOf, openCreate } from '../../uploads/create-request.ts';
import { answerCreate } from '../../uploads/created-response.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { issueOfKey } from './key.ts';
import { keyAddress } from './serializer.ts';
import { readKvBody, requireValue, VALUE_MISSING } from './value.ts';

/** Creates a store with its first key (specification 5.1). */
export const createKvRoute = (deps: UploadDependencies) =>
  new Elysia().use(limited(deps)).post('/api/kv', ({ context }) => answerCreateKv(deps, context), {
    limit: 'uploads',
    parse: 'none',
    detail: documented({
      operationId: 'createStore',
      summary: 'Create a store with its first key',
      description:
        'A store holds up to 1000 keys. A value is any JSON value of up to 1 MB (a string counts its own bytes). Parameters may be sent in the query or in the body; the query wins.',
      tags: ['KV'],
      security: OWNER_OPTIONAL,
      parameters: parameters(...CREATE),
      requestBody: {
        required: true,
        content: json('StoreCreate', {
          text: { key: 'greeting', value: 'Hello' },
          object: { key: 'settings', value: { theme: 'dark', columns: 3 }, tags: ['docs'], ttlDays: 30 },
        }),
      },
      responses: {
        '201': created(
          json('StoreCreated', {
            store: { ...createdSample('kv', 5), link: `${SAMPLE.url}/greeting`, key: 'greeting' },
          }),
        ),
        ...failures([
          ...CREATE_CODES.filter((code) => code !== 'CONTENT_BLOCKED'),
          'JSON_INVALID',
          'TOO_LARGE',
        ]),
      },
      'x-example-requests': [
        { summary: 'A text', status: 201, body: { type: 'application/json', example: 'text' } },
        { summary: 'An object', status: 201, body: { type: 'application/json', example: 'object' } },
        {
          summary: 'With parameters',
          status: 201,
          query: { ns: 'team-notes', tags: 'docs', ttl: '7d' },
          headers: { 'X-Password': 'correct horse' },
          body: { type: 'application/json', example: 'text' },
        },
        {
          summary: 'The address alone as the answer',
          status: 201,
          headers: { Accept: 'text/plain' },
          body: { type: 'application/json', example: 'text' },
        },
      ],
    }),
  });

/** Creates the store that a request describes, with its first key. */
export async function answerCreateKv(deps: UploadDependencies, context: RequestContext): Promise<Response> {
  const head = await openCreate(deps, context, { supportedTypes: ['application/json'], parameters: [] });
  const body = await readKvBody(context, deps.budget);
  const issues = collectIssues();
  const parameters = parseCreate(context, body.fields, issues);
  const { key } = body.fields;
  const issue = issueOfKey(key);
  if (issue !== null) issues.add('key', issue);
  if (body.value === null) issues.add(VALUE_MISSING.field, VALUE_MISSING.message);
  issues.throwIfAny();

  const entry = { key: String(key), ...requireValue(body) };
  const all = { ...parameters, passwordHash: await hashPasswordOf(deps, context, parameters) };
  const identity = ['kv', entry.key, createHash('sha256').update(entry.value).digest('hex')];
  const create = completeCreate(deps, context, head, all, identity);
  const input = { ...create.input, entry };
  return await answerCreate(deps, context, 'kv', kv.createKv, { ...create, input }, (store) => ({
    link: `${context.baseUrl}${keyAddress(store, entry.key)}`,
    key: entry.key,
  }));
}
