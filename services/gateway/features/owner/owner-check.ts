import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { ownerTokenOf, ownsItem } from '../../auth/owner-token.ts';
import { admitReadOfAny } from '../../items/authorize.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, MAY_NEED_PASSWORD, parameters, READER } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const OWN_TOKEN = { 'X-Owner-Token': '{ownerToken}' };

const OPERATION: Operation = {
  operationId: 'checkOwner',
  summary: 'Whether a token owns an item',
  description:
    'Also says of which kind the item is. It is a read: an item with a password asks for it, or for the owner token. Counts no view. In namespaces called `html`, `json`, `files` or `sites` this address is that of an item `owner-check` of that kind.',
  tags: ['Owner'],
  security: MAY_NEED_PASSWORD,
  parameters: parameters(...ITEM, ...READER),
  responses: {
    '200': ok('Whose it is.', json('OwnerCheck', { own: { type: 'html', owner: true } }), [
      ['Cache-Control'],
    ]),
    ...failures(['PASSWORD_REQUIRED', 'PASSWORD_WRONG', 'NOT_FOUND', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Your own', status: 200, needs: 'site', headers: OWN_TOKEN },
    { summary: "Somebody else's", status: 200, needs: 'file' },
    { summary: 'With a password', status: 403, needs: 'locked page' },
  ],
};

/**
 * Tells whether the request's token owns an item (specification 15.3). The rules of reads apply, without counting a view:
 * of a protected item, only a client that may read it learns the kind.
 */
export function ownerCheckRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).get(
    '/api/:ns/:id/owner-check',
    async ({ context, params }) => {
      const record = await admitReadOfAny(deps, context, params);
      const token = ownerTokenOf(context);
      const owner = token !== null && ownsItem(token, record.ownerHash);
      return Response.json(
        { type: record.kind, owner },
        { headers: { 'Cache-Control': 'private, no-store' } },
      );
    },
    { detail: documented(OPERATION) },
  );
}
