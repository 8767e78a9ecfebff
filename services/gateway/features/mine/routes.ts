import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import { limited } from '../../admission/limited.ts';
import { ITEM_ID, NAMESPACE } from '../../items/item-address.ts';
import { redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import type { Operation } from '../../openapi/operation.ts';
import { ITEM, parameters } from '../../openapi/parameters.ts';
import { failures, ownPage } from '../../openapi/responses.ts';
import { servicePage } from '../../pages/service-page.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { managePage, minePage } from './pages.ts';

const SHOW_MINE: Operation = {
  operationId: 'showMine',
  summary: 'What a browser has published',
  description:
    'A page that lists the items of the owner tokens kept in the browser, to renew, share, download and delete them. `#token=` in its address offers to keep another token; what is behind the `#` never reaches the server.',
  tags: ['Owner'],
  security: [],
  parameters: parameters(),
  responses: {
    '200': ownPage('The page.', 'My items · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures([], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200 }],
};

const SHOW_MANAGE: Operation = {
  operationId: 'showManage',
  summary: 'The management page of an item',
  description:
    "With its owner token behind `#k=`, the page renews, shares, downloads and deletes the item. It is the same for an item that is not there: the page's script asks for it.",
  tags: ['Owner'],
  security: [],
  parameters: parameters(...ITEM),
  responses: {
    '200': ownPage('The page.', 'Manage an item · Perch'),
    '302': redirect('To the host that has this page.'),
    ...failures(['NOT_FOUND'], { page: true }),
  },
  'x-example-requests': [{ summary: 'The page', status: 200, needs: 'page' }],
};

/** Pages for owners in a browser (specification 15.8). */
export function mineRoutes(deps: UploadDependencies) {
  const withDomains = deps.config.customDomains !== null;
  return new Elysia()
    .use(limited(deps))
    .get('/mine', ({ context }) => servicePage(context, minePage(context.language, withDomains)), {
      detail: documented(SHOW_MINE, 'page'),
    })
    .get(
      '/manage/:ns/:id',
      ({ context, params: { ns: namespace, id } }) => {
        if (!NAMESPACE.test(namespace) || !ITEM_ID.test(id)) throw errors.routeNotFound(context.path);
        const { language } = context;
        return servicePage(context, managePage({ namespace, id, language, withDomains }));
      },
      { detail: documented(SHOW_MANAGE, 'page') },
    );
}
