import type { TSchema } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { readJsonObject } from '../../admission/read-body.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, ITEM, parameters } from '../../openapi/parameters.ts';
import { ADMIN_CODES, failures } from '../../openapi/responses.ts';
import { request } from '../../openapi/schema-parts.ts';
import { ADMIN_HEADERS, type AdminDependencies, admitted } from './admitted.ts';
import { findingIdSchema, parseFindingId } from './finding-id.ts';
import { answerVisibility } from './item-visibility.ts';
import { createOperatorActions } from './operator-actions.ts';

/** Room for a release. */
const RELEASE_BYTES = 1_024;

/** The schema of a release. */
export const RELEASE_SCHEMAS: Record<string, TSchema> = {
  ItemRelease: request('What is released.', {
    findingId: findingIdSchema('As `/api/admin/publications` names what was found in the item.'),
  }),
};

const FINDING_ID = '3f0c1a9be2d84756a1b2c3d4e5f60718';

const RELEASE_ITEM: Operation = {
  operationId: 'releaseItem',
  summary: 'Release what was found in an item',
  description:
    'A scan that finds the same in this content, of a site in the same file, lets it pass from then on; new content is looked through like any other. The rest of the item is looked through at once: if nothing else is found everybody may read it again, unless it is hidden besides. The request says by `findingId`, which `/api/admin/publications` has, what the operator has seen: when the content or the finding is another one by now, nothing is released, and the answer is 409. `quarantined` says that something else was found, or that it waits for its scan. An item that was `unscanned` is shown as it is, and scanned as soon as that is possible.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ITEM, ...ADMIN),
  requestBody: { required: true, content: json('ItemRelease', { seen: { findingId: FINDING_ID } }) },
  responses: {
    '200': ok(
      'How it is now; also when it was in none.',
      json('ItemVisibility', {
        released: { namespace: 'public', id: 'Ab3dE6gH9k', type: 'html', state: 'live' },
      }),
      [['Cache-Control']],
    ),
    ...failures([
      ...(['NOT_FOUND', 'FINDING_CHANGED', 'VALIDATION_FAILED', 'JSON_INVALID'] as const),
      ...(['UNSUPPORTED_MEDIA_TYPE', ...ADMIN_CODES] as const),
    ]),
  },
  'x-example-requests': [
    {
      ...{ summary: 'A page', status: 200, needs: 'page', headers: ADMIN_HEADERS },
      body: { type: 'application/json', example: 'seen' },
    },
    {
      ...{ summary: 'Without the password', status: 401, needs: 'page' },
      body: { type: 'application/json', example: 'seen' },
    },
  ],
};

/** Ends a quarantine by the operator's word (specification 18.12). */
export function releaseItemRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  return new Elysia().use(admitted(deps)).post(
    '/api/admin/items/:ns/:id/release',
    async ({ context, operator, params }) => {
      const item = itemNamed(params);
      const tooLarge = () =>
        errors.validationFailed([{ field: 'body', message: 'is too long for a release.' }]);
      const fields = await readJsonObject(context, { bytes: RELEASE_BYTES, tooLarge }, deps.budget);
      const findingId = parseFindingId(fields.findingId);
      const { kind, hidden, quarantine } = await actions.release({ context, operator }, item, findingId);
      return answerVisibility(item, { kind, hidden, quarantined: quarantine !== undefined });
    },
    { parse: 'none', detail: documented(RELEASE_ITEM, 'operator') },
  );
}
