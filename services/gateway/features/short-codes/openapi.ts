import { redirect } from '../../openapi/answers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

export const follow: Operation = {
  operationId: 'followShortCode',
  summary: 'Open an item by its short code',
  description: "Leads to the item's address and keeps the query. Does not count a view itself.",
  tags: ['Short URLs'],
  security: [],
  parameters: parameters('Code'),
  responses: {
    '302': redirect("To the item's address."),
    ...failures(['NOT_FOUND', 'GONE', 'RATE_LIMITED'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'A page', status: 302, needs: 'page' },
    { summary: 'A code that leads nowhere', status: 404, path: { code: '0000000' } },
  ],
};
