import { Elysia } from 'elysia';
import { callToRead } from '../../../../shared/contracts/call.ts';
import { resolveCode } from '../../../../shared/contracts/content.ts';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const CODE = /^[A-Za-z0-9]{7}$/;

const FOLLOW_SHORT_CODE: Operation = {
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
    { summary: 'A page', status: 302, needs: 'html' },
    { summary: 'A code that leads nowhere', status: 404, path: { code: '0000000' } },
  ],
};

/** The short form of every item's address (specification 9.7). */
export function shortCodeRoutes(deps: UploadDependencies) {
  const { bus } = deps;
  return new Elysia().use(limited(deps)).get(
    '/s/:code',
    async ({ context, params: { code } }) => {
      if (!CODE.test(code)) throw errors.codeNotFound(code.slice(0, 40));
      const target = await callToRead(bus, resolveCode, { code }, context.callContext);
      if (target.state === 'gone') throw errors.codeGone(code);
      if (target.state === 'missing') throw errors.codeNotFound(code);
      const { namespace, id, kind } = target;
      context.item = kind === undefined ? null : { kind, namespace, id };
      const headers = {
        Location: `${context.baseUrl}/${namespace}/${id}${context.querySuffix}`,
        'Cache-Control': 'no-cache',
      };
      return new Response(null, { status: 302, headers });
    },
    { limit: 'reads', detail: documented(FOLLOW_SHORT_CODE, 'link') },
  );
}
