import { json, ok } from '../../openapi/answers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

export const random: Operation = {
  operationId: 'randomNamespace',
  summary: 'A free namespace',
  description: 'A name that nothing is in at this moment. It is not kept for you: the first create takes it.',
  tags: ['Namespaces'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ok('A name.', json('RandomNamespace', { name: { namespace: 'quiet-heron-7k2p' } }), [
      ['Cache-Control'],
    ]),
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [{ summary: 'A name', status: 200 }],
};

export const suggest: Operation = {
  operationId: 'suggestNamespaces',
  summary: 'Free namespaces like a text',
  description:
    'Five names that nothing is in at this moment, made of a text: in lower case, accents folded, all but letters and digits turned into hyphens. Random ones when nothing is left of it.',
  tags: ['Namespaces'],
  security: [],
  parameters: parameters('NameLike'),
  responses: {
    '200': ok(
      'Names, best first.',
      json('NamespaceSuggestions', {
        names: {
          suggestions: [
            'cafe-notes',
            'cafe-notes-heron',
            'cafe-notes-tern',
            'cafe-notes-7k2p',
            'cafe-notes-x9dw',
          ],
        },
      }),
      [['Cache-Control']],
    ),
    ...failures(['RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'For a text', status: 200, query: { q: 'Café notes' } },
    { summary: 'Without one', status: 200 },
  ],
};
