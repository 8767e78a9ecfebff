import { Elysia } from 'elysia';
import { requestScope } from '../../http/request-context.ts';
import { ok, redirect, text } from '../../openapi/answers.ts';
import type { LoadDocument } from '../../openapi/api-document.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import {
  ANY_BASE_URL,
  byBaseUrl,
  fixedBody,
  fixedResponse,
  loadOnce,
  withBaseUrl,
} from '../../web/fixed-body.ts';
import { shortFile } from './llms/short-file.ts';

const TEXT = 'text/plain; charset=utf-8';

const file = (
  what: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  beginning: string,
): Operation => ({
  ...what,
  tags: ['Service'],
  security: [],
  parameters: parameters('IfNoneMatch'),
  responses: {
    '200': ok('The file.', text('text/plain', beginning, 'beginning'), CACHEABLE),
    '302': redirect('To the host that has this file.'),
    ...unchanged(),
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The file', status: 200 }],
});

const READ_LLMS = file(
  {
    operationId: 'readLlms',
    summary: 'What a language model should know first',
    description: 'How to publish, and where to read on; markdown.',
  },
  '# Perch\n\n> Hosts HTML and markdown pages, files, sites, JSON documents and key-value stores.\n',
);

const READ_LLMS_FULL = file(
  {
    operationId: 'readLlmsFull',
    summary: 'The whole interface for a language model',
    description: 'Every address with its parameters, headers, bodies, answers, errors and limits; markdown.',
  },
  '# Perch API\n\n> Put pages, values, documents, files and sites on the web in one request.\n',
);

/** The interface for language models: what to know first, and all of it, made when it is first asked for. */
export function llmsRoutes({ config }: Pick<UploadDependencies, 'config'>, loadDocument: LoadDocument) {
  const short = byBaseUrl((baseUrl) => fixedBody(Buffer.from(shortFile(baseUrl)), TEXT));
  const whole = loadOnce(async () => {
    const { wholeFile } = await import('./llms/whole-file.ts');
    const servers = [{ url: ANY_BASE_URL, description: '' }];
    const text = wholeFile({ ...(await loadDocument()), servers }, config);
    return byBaseUrl((baseUrl) => fixedBody(Buffer.from(withBaseUrl(text, baseUrl)), TEXT));
  });

  return new Elysia()
    .use(requestScope)
    .get('/llms.txt', ({ context, request }) => fixedResponse(request, short(context.baseUrl), 'no-cache'), {
      detail: documented(READ_LLMS, 'text'),
    })
    .get(
      '/llms-full.txt',
      async ({ context, request }) => fixedResponse(request, (await whole())(context.baseUrl), 'no-cache'),
      {
        detail: documented(READ_LLMS_FULL, 'text'),
      },
    );
}
