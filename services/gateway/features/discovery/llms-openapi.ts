import { ok, redirect, text } from '../../openapi/answers.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

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

export const short = file(
  {
    operationId: 'readLlms',
    summary: 'What a language model should know first',
    description: 'How to publish, and where to read on; markdown.',
  },
  '# Perch\n\n> Hosts HTML and markdown pages, files, sites, JSON documents and key-value stores.\n',
);

export const whole = file(
  {
    operationId: 'readLlmsFull',
    summary: 'The whole interface for a language model',
    description: 'Every address with its parameters, headers, bodies, answers, errors and limits; markdown.',
  },
  '# Perch API\n\n> Put pages, values, documents, files and sites on the web in one request.\n',
);
