import { Elysia } from 'elysia';
import { isSet } from '../../http/parameters.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, ITEM, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { createOperatorActions } from './operator-actions.ts';

const OPERATION: Operation = {
  operationId: 'takeDownItem',
  summary: 'Take an item down',
  description:
    'Removes an item of any kind, whoever owns it, as if its owner had. The log names the address that asked for it.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, 'BlockContent', ...ADMIN),
  responses: {
    '204': { description: 'It is gone.', headers: headers(['Cache-Control']) },
    ...failures(['NOT_FOUND', ...ADMIN_CODES]),
  },
  'x-example-requests': [
    { summary: 'A page', status: 204, needs: 'page', headers: ADMIN_HEADERS },
    { summary: 'A site', status: 204, needs: 'site', headers: ADMIN_HEADERS },
    { summary: 'Without the password', status: 401, needs: 'page' },
  ],
};

/** Takedown of items of any kind by the operator (specification 18.2). */
export function takeDownRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  return new Elysia().use(admitted(deps)).delete(
    '/api/admin/items/:ns/:id',
    async ({ context, operator, params }) => {
      const blockContent = isSet(context.query(), 'blockContent');
      await actions.takeDown({ context, operator }, itemNamed(params), blockContent);
      return new Response(null, { status: 204, headers: { 'Cache-Control': 'no-store' } });
    },
    { parse: 'none', detail: documented(OPERATION, 'operator') },
  );
}
