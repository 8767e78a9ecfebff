import { Elysia } from 'elysia';
import { limited } from '../../admission/limited.ts';
import { isOwner } from '../../auth/owner-token.ts';
import { findOfAny } from '../../items/authorize.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, OWNER, OWNER_OPTIONAL, parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const OWN_TOKEN = { 'X-Owner-Token': '{ownerToken}' };

const OPERATION: Operation = {
  operationId: 'checkOwner',
  summary: 'Whether a token owns an item',
  description:
    'Also says of which kind the item is. Asks for no password, and counts no view. In namespaces called `html`, `json`, `files` or `sites` this address is that of an item `owner-check` of that kind.',
  tags: ['Owner'],
  security: OWNER_OPTIONAL,
  parameters: parameters(...ITEM, ...OWNER),
  responses: {
    '200': ok('Whose it is.', json('OwnerCheck', { own: { type: 'html', owner: true, isOwner: true } }), [
      ['Cache-Control'],
    ]),
    ...failures(['NOT_FOUND', 'QUARANTINED', 'RATE_LIMITED']),
  },
  'x-example-requests': [
    { summary: 'Your own', status: 200, needs: 'site', headers: OWN_TOKEN },
    { summary: "Somebody else's", status: 200, needs: 'file' },
    { summary: 'With a password, which is not asked for', status: 200, needs: 'locked page' },
  ],
};

/**
 * Tells whether the request's token owns an item (specification 15.3). A protected item's kind is no secret: the form for
 * its password is shown to whoever asks for it.
 */
export function ownerCheckRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).get(
    '/api/:ns/:id/owner-check',
    async ({ context, params }) => {
      const record = await findOfAny(deps, context, params);
      const owner = isOwner(context, record.ownerHash);
      return Response.json(
        { type: record.kind, owner, isOwner: owner },
        { headers: { 'Cache-Control': 'private, no-store' } },
      );
    },
    { detail: documented(OPERATION) },
  );
}
