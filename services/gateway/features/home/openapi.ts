import { ok, redirect, text } from '../../openapi/answers.ts';
import { CACHEABLE, unchanged } from '../../openapi/cacheable.ts';
import { type Operation, parameterRef } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';

const OPEN = { open: true, local: true };

export const home: Operation = {
  operationId: 'showHome',
  summary: 'The home page',
  description: 'What the service is, and a form that publishes a page, a file or a site.',
  tags: ['Service'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true, local: true }),
  },
  'x-example-requests': [{ summary: 'The home page', status: 200 }],
};

export const asset: Operation = {
  operationId: 'readAsset',
  summary: "A file of the service's own pages",
  description: 'Styles, scripts and pictures.',
  tags: ['Service'],
  security: [],
  parameters: ['AssetName', 'IfNoneMatch'].map(parameterRef),
  responses: {
    '200': ok(
      'The file.',
      {
        ...text('text/css', 'body { margin: 0 }\n', 'style'),
        ...text('text/javascript', 'document.title;\n', 'script'),
        ...text('image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg"/>\n', 'picture'),
      },
      CACHEABLE,
    ),
    ...unchanged(),
    ...failures(['NOT_FOUND'], OPEN),
  },
  'x-example-requests': [
    { summary: 'A stylesheet', status: 200, path: { name: 'perch.css' } },
    { summary: 'A file that is not there', status: 404, path: { name: 'nothing.css' } },
  ],
};

export const favicon: Operation = {
  operationId: 'readFavicon',
  summary: "The service's icon",
  description: 'Where browsers look for it by themselves.',
  tags: ['Service'],
  security: [],
  parameters: [],
  responses: { '302': redirect('To the picture.'), ...failures([], OPEN) },
  'x-example-requests': [{ summary: 'The icon', status: 302 }],
};
