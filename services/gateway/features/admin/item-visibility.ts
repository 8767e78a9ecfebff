import { type TSchema, Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { ITEM_STATES, type ItemState } from '../../../../shared/contracts/publications.ts';
import { errors } from '../../../../shared/errors.ts';
import { type ItemRef, KINDS, type Kind } from '../../../../shared/items/item.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { itemNamed } from '../../items/find-live-item.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM } from '../../openapi/parameters.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { answer, NAME, request } from '../../openapi/schema-parts.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { operatorOperation } from './operation.ts';
import { type Acting, createOperatorActions } from './operator-actions.ts';

/** Room for a release. */
const RELEASE_LIMIT = bodyUpTo(1_024);

/** A finding in one content, as `findingIdOf` of the services names it. */
const FINDING_ID = /^[0-9a-f]{32}$/;

/** The schema of such a name. */
export const findingIdSchema = (description: string) =>
  Type.String({ pattern: FINDING_ID.source, description });

/** The finding that an operator has seen, as the list of publications names it. @throws VALIDATION_FAILED */
export function parseFindingId(value: unknown): string {
  if (typeof value === 'string' && FINDING_ID.test(value)) return value;
  const message = 'is needed: the one that the list of publications has for the item.';
  throw errors.validationFailed([{ field: 'findingId', message }]);
}

/** The schema of what has become of an item. */
export const itemState = Type.Unsafe({
  type: 'string',
  enum: ITEM_STATES,
  description: 'Whether it can be read.',
});

/** Schemas of hiding, showing and releasing an item. */
export const VISIBILITY_SCHEMAS: Record<string, TSchema> = {
  ItemVisibility: answer('Whether an item can be read now.', {
    ...NAME,
    type: Type.Unsafe({ type: 'string', enum: KINDS }),
    state: itemState,
  }),
  ItemRelease: request('What is released.', {
    findingId: findingIdSchema('As `/api/admin/publications` names what was found in the item.'),
  }),
};

/** The declarations of hiding and showing. */
const visibility = (
  fields: Pick<Operation, 'operationId' | 'summary' | 'description'>,
  state: string,
): Operation =>
  operatorOperation({
    ...fields,
    parameters: ITEM,
    responses: {
      '200': ok(
        'How it is now; also when it was so before.',
        json('ItemVisibility', { [state]: { namespace: 'public', id: 'Ab3dE6gH9k', type: 'html', state } }),
        [['Cache-Control']],
      ),
    },
    errors: ['NOT_FOUND'],
    'x-example-requests': [
      { summary: 'A page', status: 200, needs: 'html' },
      { summary: 'Without the password', status: 401, needs: 'html' },
    ],
  });

const HIDE_ITEM = visibility(
  {
    operationId: 'hideItem',
    summary: 'Hide an item',
    description:
      'It is answered like a removed one, 410 in `public` and 404 elsewhere, and listed nowhere, on every gateway at once. Its owner reads, corrects and removes it by its address in the API. Caches of others may keep a file for an hour.',
  },
  'hidden',
);
const SHOW_ITEM = visibility(
  {
    operationId: 'showItem',
    summary: 'Show a hidden item again',
    description: 'It comes back at its address with its content, views and end of life.',
  },
  'live',
);

const RELEASE_ITEM = operatorOperation({
  operationId: 'releaseItem',
  summary: 'Release what was found in an item',
  description:
    'A scan that finds the same in this content, of a site in the same file, lets it pass from then on; new content is looked through like any other. The rest of the item is looked through at once: if nothing else is found everybody may read it again, unless it is hidden besides. The request says by `findingId`, which `/api/admin/publications` has, what the operator has seen: when the content or the finding is another one by now, nothing is released, and the answer is 409. `quarantined` says that something else was found, or that it waits for its scan. An item that was `unscanned` is shown as it is, and scanned as soon as that is possible.',
  parameters: ITEM,
  requestBody: {
    required: true,
    content: json('ItemRelease', { seen: { findingId: '3f0c1a9be2d84756a1b2c3d4e5f60718' } }),
  },
  responses: {
    '200': ok(
      'How it is now; also when it was in none.',
      json('ItemVisibility', {
        released: { namespace: 'public', id: 'Ab3dE6gH9k', type: 'html', state: 'live' },
      }),
      [['Cache-Control']],
    ),
  },
  errors: [...JSON_BODY_CODES, 'NOT_FOUND', 'FINDING_CHANGED'],
  'x-example-requests': [
    {
      summary: 'A page',
      status: 200,
      needs: 'html',
      body: { type: 'application/json', example: 'seen' },
    },
    {
      summary: 'Without the password',
      status: 401,
      needs: 'html',
      body: { type: 'application/json', example: 'seen' },
    },
  ],
});

/** Hides, shows and releases items by the operator's word (specification 18.7, 18.12). */
export function itemVisibilityRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  const setHidden = async (acting: Acting, address: { ns: string; id: string }, hidden: boolean) => {
    const item = itemNamed(address);
    const { kind, quarantined } = await actions.setHidden(acting, item, hidden);
    return answerVisibility(item, { kind, hidden, quarantined });
  };
  return new Elysia()
    .use(admitted(deps))
    .post(
      '/api/admin/items/:ns/:id/hide',
      ({ context, operator, params }) => setHidden({ context, operator }, params, true),
      { parse: 'none', detail: documented(HIDE_ITEM, 'operator') },
    )
    .post(
      '/api/admin/items/:ns/:id/show',
      ({ context, operator, params }) => setHidden({ context, operator }, params, false),
      { parse: 'none', detail: documented(SHOW_ITEM, 'operator') },
    )
    .post(
      '/api/admin/items/:ns/:id/release',
      async ({ context, operator, params }) => {
        const item = itemNamed(params);
        const fields = await readJsonObject(context, RELEASE_LIMIT, deps.budget);
        const findingId = parseFindingId(fields.findingId);
        const { kind, hidden, quarantine } = await actions.release({ context, operator }, item, findingId);
        return answerVisibility(item, { kind, hidden, quarantined: quarantine !== undefined });
      },
      { parse: 'none', detail: documented(RELEASE_ITEM, 'operator') },
    );
}

interface Visibility {
  kind: Kind;
  hidden: boolean;
  quarantined: boolean;
}

/** The answer to an operator who has changed who may read an item: its state now. */
function answerVisibility({ namespace, id }: ItemRef, { kind, hidden, quarantined }: Visibility): Response {
  const state: ItemState = quarantined ? 'quarantined' : hidden ? 'hidden' : 'live';
  return Response.json({ namespace, id, type: kind, state }, { headers: NO_STORE });
}
