import { Type } from '@sinclair/typebox';
import { formRequest, urlEncoded } from '../../openapi/forms.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';

export const unlock: Operation = {
  operationId: 'unlock',
  summary: 'Open an item with a password in a browser',
  description:
    'Where the password form of a protected item goes: the right password sets a cookie that opens this item for an hour. A browser that sends it for another page is refused.',
  tags: ['Short URLs'],
  security: [],
  parameters: parameters('Namespace', 'Id'),
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        password: Type.String({ minLength: 1 }),
        to: Type.Optional(
          Type.String({ description: 'Where in the item to go then: a path below its own, and a query.' }),
        ),
      }),
      { password: 'correct horse' },
    ),
  },
  responses: {
    '303': {
      description: 'To the item. With `Set-Cookie` when it has a password.',
      headers: headers(['Location', 'Cache-Control'], ['Set-Cookie', ...RATE_LIMIT]),
    },
    ...failures(
      [
        ...(['VALIDATION_FAILED', 'PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND'] as const),
        ...(['CROSS_SITE_FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
      ],
      { page: true },
    ),
  },
  'x-example-requests': [{ summary: 'A page', needs: 'locked page', ...formRequest(303) }],
};
