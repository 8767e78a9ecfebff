import { redirect } from '../../openapi/answers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';

export const show: Operation = {
  operationId: 'showGallery',
  summary: 'The gallery for people',
  description:
    'A page that searches as you type, and a form where there are no scripts. It takes what `/api/gallery` takes, but its pages have a size of their own.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('GallerySearch', 'Kind', 'Tag', 'GallerySort', 'Page'),
  responses: {
    '200': ownPage('The page.', 'Gallery · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['VALIDATION_FAILED', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'The newest items', status: 200, needs: 'page' },
    { summary: 'A search among files', status: 200, query: { q: 'launch', kind: 'file' } },
  ],
};
