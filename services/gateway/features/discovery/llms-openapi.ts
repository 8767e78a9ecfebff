import { ok, redirect, text } from '../../openapi/answers.ts';
import { type HeaderName, headers } from '../../openapi/headers.ts';
import type { Operation, Paths } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

const CACHEABLE: [HeaderName[], HeaderName[]] = [['ETag', 'Cache-Control', 'Vary'], ['Content-Encoding']];

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
    '304': {
      description: '`If-None-Match` names the current version: you have it.',
      headers: headers(...CACHEABLE),
    },
    ...failures([], { local: true }),
  },
  'x-example-requests': [{ summary: 'The file', status: 200 }],
});

const short = file(
  {
    operationId: 'readLlms',
    summary: 'What a language model should know first',
    description: 'How to publish, and where to read on; markdown.',
  },
  '# Perch\n\n> Hosts HTML and markdown pages, files, sites, JSON documents and key-value stores.\n',
);

const whole = file(
  {
    operationId: 'readLlmsFull',
    summary: 'The whole interface for a language model',
    description: 'Every address with its parameters, headers, bodies, answers, errors and limits; markdown.',
  },
  '# Perch API\n\n> Put pages, values, documents, files and sites on the web in one request.\n',
);

/** For language models (llmstxt.org). */
export const LLMS: Paths = { '/llms.txt': { get: short }, '/llms-full.txt': { get: whole } };
