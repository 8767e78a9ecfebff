import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { created, json } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { CREATE, OWNER_OPTIONAL, type ParameterName, parameters } from '../../openapi/parameters.ts';
import { CREATE_CODES, failures } from '../../openapi/responses.ts';
import { createdSample } from '../../openapi/samples.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

/** The creates that an upload by name comes to, each with the rules of its own kind. */
export interface PublishByName {
  page(context: RequestContext): Promise<Response>;
  json(context: RequestContext): Promise<Response>;
  file(context: RequestContext, filename: string): Promise<Response>;
}

/** Texts that become pages, by the extension of their names. */
const PAGE_TYPES: Record<string, string> = {
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  markdown: 'text/markdown',
  txt: 'text/plain',
  yaml: 'text/yaml',
  yml: 'text/yaml',
  xml: 'text/xml',
  csv: 'text/csv',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  toml: 'text/x-toml',
};

const DESCRIPTION =
  'For a shell: `curl -T report.html https://perch.example/`, or `curl -T - https://perch.example/name.md`. The name decides: HTML, markdown and other texts become a page, `.json` a document, any other admitted extension a file. Without an extension the content decides: text is a page, a picture, an MP4, a PDF or a ZIP a file. The answer is the address as text, the owner token comes in `X-Owner-Token`; who prefers JSON gets the answer of the kind.';

const operation = (
  what: Pick<Operation, 'operationId' | 'summary'>,
  own: ParameterName[],
  name?: string,
): Operation => ({
  ...what,
  description: DESCRIPTION,
  tags: ['Pages'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...own, ...CREATE, 'Format', 'ShowTopBar'),
  requestBody: {
    required: true,
    content: {
      'application/octet-stream': { schema: Type.Unsafe({}), examples: { text: { value: '# Launch\n' } } },
    },
  },
  responses: {
    '201': created(json('Published', { page: createdSample('html', 9) }), ['X-Existing-Resource']),
    ...failures([
      ...[...CREATE_CODES, 'PAGE_TOO_LARGE' as const, 'CONTENT_REJECTED' as const, 'LINK_BLOCKED' as const],
      ...(['JSON_INVALID', 'TOO_LARGE', 'LIMIT_REACHED'] as const),
      // For a name that cannot be decoded.
      ...(name === undefined ? [] : (['NOT_FOUND'] as const)),
    ]),
  },
  'x-example-requests': [
    {
      summary: 'A text',
      status: 201,
      ...(name === undefined ? {} : { path: { filename: name } }),
      body: { type: 'application/octet-stream', example: 'text' },
    },
  ],
});

/** Publishes what `curl -T` sends to the service's own address (specification 3.8). */
export const putFileRoutes = (deps: UploadDependencies, publish: PublishByName) =>
  new Elysia()
    .use(limited(deps))
    .put('/', ({ context }) => answerPutFile(context, null, publish), {
      limit: 'uploads',
      parse: 'none',
      detail: documented(operation({ operationId: 'putText', summary: 'Publish what comes in' }, [])),
    })
    .put('/:filename', ({ context, params }) => answerPutFile(context, params.filename, publish), {
      limit: 'uploads',
      parse: 'none',
      detail: documented(
        operation(
          { operationId: 'putFile', summary: 'Publish a file by its name' },
          ['PutName'],
          'launch.md',
        ),
        'upload',
      ),
    });

/** @param name of the file; `null`: it has none, and `filename` may not be given otherwise */
async function answerPutFile(
  context: RequestContext,
  name: string | null,
  publish: PublishByName,
): Promise<Response> {
  context.answersInText = true;
  if (context.query().has('filename')) {
    const message = 'is not a parameter here: the address has the name.';
    throw errors.validationFailed([{ field: 'filename', message }]);
  }
  const extension = name === null ? '' : (/[^.]\.([^.]*)$/.exec(name)?.[1] ?? '').toLowerCase();
  if (extension === 'json') return await publish.json(context);
  const isPage = extension === '' || Object.hasOwn(PAGE_TYPES, extension);
  if (!isPage && name !== null) return await publish.file(context, name);
  if (name !== null) context.query().set('filename', name);
  context.contentType = PAGE_TYPES[extension] ?? 'application/octet-stream';
  return await publish.page(context);
}
