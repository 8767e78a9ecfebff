import { Elysia } from 'elysia';
import { call } from '../../../../shared/contracts/call.ts';
import * as owners from '../../../../shared/contracts/owner-admin.ts';
import { isLongerThan } from '../../../../shared/wording/line.ts';
import { bodyUpTo, readJsonObject } from '../../admission/read-body.ts';
import { hashOwnerToken } from '../../auth/owner-token.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { instant } from '../../items/serializer.ts';
import { json, ok } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import { JSON_BODY_CODES } from '../../openapi/responses.ts';
import { SAMPLE } from '../../openapi/samples.ts';
import { type AdminDependencies, admitted, NO_STORE } from './admitted.ts';
import { answerList, parseListQuery } from './list-page.ts';
import { operatorOperation } from './operation.ts';
import { createOperatorActions } from './operator-actions.ts';
import { ownerNamed, parseOwnerSearch } from './owner-terms.ts';

const PAGE = { default: 50, max: owners.OWNERS_PER_PAGE, id: null };

/** Room for the longest token with every character escaped. */
const TOKEN_LIMIT = bodyUpTo(16_384);

const SAMPLE_ID = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const SAMPLE_OWNER = {
  ownerId: SAMPLE_ID,
  htmlCount: 12,
  kvStoreCount: 1,
  jsonCount: 0,
  fileCount: 3,
  siteCount: 1,
  storedBytes: 1_048_576,
  firstSeen: SAMPLE.createdAt,
  tier: 'DEFAULT',
  label: null,
};

const LIST_OWNERS = operatorOperation({
  operationId: 'listOwners',
  summary: 'Owners',
  description: 'Owners who have items, or whose terms are noted; those with most items first.',
  parameters: ['OwnerSearch', 'OwnersLimit', 'ListOffset'],
  responses: {
    '200': ok('A part of the list.', json('OwnerInfoList', { page: [SAMPLE_OWNER] }), [
      ['Cache-Control', 'X-Total-Count'],
    ]),
  },
  errors: ['VALIDATION_FAILED'],
  'x-example-requests': [
    { summary: 'All', status: 200, needs: 'html' },
    {
      summary: 'By the beginning of an id',
      status: 200,
      query: { search: '9f86', limit: '10' },
    },
    { summary: 'Without the password', status: 401 },
  ],
});

const READ_INVENTORY = operatorOperation({
  operationId: 'readInventory',
  summary: 'Items there are now, and whose',
  description: 'Exact, at most a few seconds old. `/api/stats` has the totals over all time.',
  responses: {
    '200': ok(
      'The numbers.',
      json('Inventory', {
        now: {
          totalHtml: 12,
          totalKvEntries: 40,
          totalJsonDocs: 0,
          totalFiles: 3,
          totalSites: 1,
          uniqueOwners: 1,
          ownersWithCounts: [SAMPLE_OWNER],
        },
      }),
      [['Cache-Control']],
    ),
  },
  'x-example-requests': [
    { summary: 'The numbers', status: 200 },
    { summary: 'Without the password', status: 401 },
  ],
});

const resolved = json('OwnerResolved', { owner: { ownerId: SAMPLE_ID } });

const RESOLVE_OWNER = operatorOperation({
  operationId: 'resolveOwner',
  summary: 'Whose token it is',
  description: 'Reads nothing: the id is the SHA-256 of the token. The token reaches no log.',
  requestBody: {
    required: true,
    content: json('OwnerToResolve', { token: { token: 'own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt' } }),
  },
  responses: {
    '200': ok('The owner.', resolved, [['Cache-Control']]),
  },
  errors: [...JSON_BODY_CODES],
  local: true,
  'x-example-requests': [
    {
      summary: 'A token',
      status: 200,
      body: { type: 'application/json', example: 'token' },
    },
  ],
});

const RESOLVE_OWNER_BY_QUERY = operatorOperation({
  operationId: 'resolveOwnerByQuery',
  summary: 'Whose token it is, by GET',
  description: 'For clients that know no other way; logs have `***` in place of the token. Prefer the POST.',
  parameters: ['TokenToResolve'],
  responses: {
    '200': ok('The owner.', resolved, [['Cache-Control']]),
  },
  errors: ['VALIDATION_FAILED'],
  local: true,
  'x-example-requests': [
    { summary: 'A token', status: 200, query: { token: 'own_0123456789abcdef' } },
    { summary: 'Without a token', status: 400 },
  ],
});

const TAKE_DOWN_OWNER = operatorOperation({
  operationId: 'takeDownOwner',
  summary: 'Take down all items of an owner',
  description:
    'Removes every item of the owner, of every kind, and ends their privileges. What was begun is finished, also when a process dies meanwhile; when the answer is 504, it goes on behind it. 204 also when there is nothing to take down.',
  parameters: ['OwnerId'],
  responses: {
    '204': { description: 'Nothing of it is left.', headers: headers(['Cache-Control']) },
  },
  errors: ['NOT_FOUND'],
  'x-example-requests': [
    { summary: 'An owner', status: 204, needs: 'html' },
    { summary: 'What is no id', status: 404, path: { ownerId: 'nobody' } },
  ],
});

/** Owners and their items, as the operator sees and removes them (specification 18.5). */
export function ownerAdminRoutes(deps: AdminDependencies) {
  const { bus, budget } = deps;
  const actions = createOperatorActions(deps);
  return new Elysia()
    .use(admitted(deps))
    .get(
      '/api/admin/stats',
      async ({ context }) => {
        const found = await call(bus, owners.readInventory, {}, context.callContext);
        const body = {
          totalHtml: found.html,
          totalKvEntries: found.kvEntries,
          totalJsonDocs: found.json,
          totalFiles: found.file,
          totalSites: found.site,
          uniqueOwners: found.owners,
          ownersWithCounts: found.ownersWithMost.map(shown),
        };
        return Response.json(body, { headers: NO_STORE });
      },
      { detail: documented(READ_INVENTORY, 'operator') },
    )
    .get(
      '/api/admin/owners',
      async ({ context }) => {
        const { page, filter: search } = parseListQuery(context.query(), PAGE, parseOwnerSearch);
        const input = { search, offset: page.offset, limit: page.limit };
        const found = await call(bus, owners.listOwners, input, context.callContext);
        return answerList(found.owners.map(shown), { count: found.total });
      },
      { detail: documented(LIST_OWNERS, 'operator') },
    )
    .get('/api/admin/owners/resolve', ({ context }) => answerResolve(context.query().get('token')), {
      detail: documented(RESOLVE_OWNER_BY_QUERY, 'operator'),
    })
    .post(
      '/api/admin/owners/resolve',
      async ({ context }) => {
        const fields = await readJsonObject(context, TOKEN_LIMIT, budget);
        return answerResolve(fields.token);
      },
      { parse: 'none', detail: documented(RESOLVE_OWNER, 'operator') },
    )
    .delete(
      '/api/admin/owners/:ownerId',
      async ({ context, operator, params }) => {
        await actions.takeDownOwner({ context, operator }, ownerNamed(params.ownerId));
        return new Response(null, { status: 204, headers: NO_STORE });
      },
      { parse: 'none', detail: documented(TAKE_DOWN_OWNER, 'operator') },
    );
}

function answerResolve(value: unknown): Response {
  const issues = collectIssues();
  const token = typeof value === 'string' ? value.trim() : '';
  if (token === '' || isLongerThan(token, 512))
    issues.add('token', 'must be an owner token, of at most 512 characters.');
  issues.throwIfAny();
  return Response.json({ ownerId: hashOwnerToken(token) }, { headers: NO_STORE });
}

const shown = ({ firstSeen, ...owner }: owners.OwnerSummary) => ({
  ownerId: owner.ownerId,
  htmlCount: owner.htmlCount,
  kvStoreCount: owner.kvStoreCount,
  jsonCount: owner.jsonCount,
  fileCount: owner.fileCount,
  siteCount: owner.siteCount,
  storedBytes: owner.storedBytes,
  firstSeen: instant(firstSeen),
  tier: owner.tier,
  label: owner.label,
});
