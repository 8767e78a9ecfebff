import { Type } from '@sinclair/typebox';
import { redirect } from '../../../openapi/answers.ts';
import { formRequest, urlEncoded } from '../../../openapi/forms.ts';
import type { Operation } from '../../../openapi/operation.ts';
import { ADMIN, ADMIN_ONLY, parameters } from '../../../openapi/parameters.ts';
import { ADMIN_CODES, failures, ownPage } from '../../../openapi/responses.ts';
import { ADMIN_HEADERS } from '../admitted.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

/** A page of the console that is only read. */
const shownPage = (
  fields: Pick<Operation, 'operationId' | 'summary' | 'description' | 'parameters' | 'x-example-requests'>,
  title: string,
): Operation => ({
  ...fields,
  tags: ['Admin'],
  security: ADMIN_ONLY,
  responses: {
    '200': ownPage('The page.', `${title} · Console · Perch`),
    ...failures(['NOT_FOUND', ...ADMIN_CODES], { page: true }),
  },
});

export const SHOW_CONSOLE = shownPage(
  {
    operationId: 'showConsole',
    summary: "The operator's console",
    description:
      'How the server is. Whoever is not signed in gets a form for the admin password, with 401; the right one sets a cookie for `/admin` and `/api/admin` that lasts an hour. Scripts of other origins may neither read nor send.',
    parameters: parameters(...ADMIN),
    'x-example-requests': [
      { summary: 'The console', status: 200, headers: ADMIN_HEADERS },
      { summary: 'Without a sign-in', status: 401 },
    ],
  },
  'Health',
);

export const SHOW_SECTION = shownPage(
  {
    operationId: 'showConsoleSection',
    summary: 'A part of the console',
    description: 'Takes the filters of the list in `/api/admin` that it shows.',
    parameters: parameters('ConsoleSection', ...ADMIN),
    'x-example-requests': [
      { summary: 'The reports', status: 200, headers: ADMIN_HEADERS, path: { section: 'reports' } },
      { summary: 'The access log', status: 200, headers: ADMIN_HEADERS, path: { section: 'access' } },
      { summary: 'One that is not there', status: 404, headers: ADMIN_HEADERS, path: { section: 'nothing' } },
    ],
  },
  'Reports',
);

export const SHOW_REPORT = shownPage(
  {
    operationId: 'showConsoleReport',
    summary: 'A report beside the item that it is about',
    description: 'The item is shown in a sandbox, without scripts unless `scripts=1` is asked for.',
    parameters: parameters('ReportId', ...ADMIN),
    'x-example-requests': [
      { summary: 'A report', status: 200, needs: 'report', headers: ADMIN_HEADERS },
      {
        summary: 'One that is not there',
        status: 404,
        headers: ADMIN_HEADERS,
        path: { id: 'no-such-report' },
      },
    ],
  },
  'Report',
);

export const SIGN_IN: Operation = {
  operationId: 'signIn',
  summary: 'Sign in to the console',
  description:
    'Where the form of the console goes. Wrong passwords count as those of `X-Admin-Password` do. A browser that sends it for another page is refused.',
  tags: ['Admin'],
  security: [],
  parameters: parameters(),
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        password: Type.String({ minLength: 1 }),
        to: text('The page of the console to go to then.'),
      }),
      { password: 'correct horse battery staple', to: '/admin/reports' },
    ),
  },
  responses: {
    '303': redirect('To the console.', ['Set-Cookie']),
    ...failures(['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', ...ADMIN_CODES], { page: true }),
  },
  'x-example-requests': [{ summary: 'A sign-in', ...formRequest(303) }],
};

export const SIGN_OUT: Operation = {
  operationId: 'signOut',
  summary: 'Sign out of the console',
  description: 'Of this browser, or with `everywhere` of all of them, at once and on every gateway.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        everywhere: text('`1`: end every sign-in.'),
        mark: text('Of a form of the console; asked of whoever has the cookie.'),
      }),
      { everywhere: '1' },
    ),
  },
  responses: {
    '303': redirect('To the form.', ['Set-Cookie']),
    ...failures(['NOT_FOUND', 'UNSUPPORTED_MEDIA_TYPE', ...ADMIN_CODES], { page: true }),
  },
  'x-example-requests': [{ summary: 'Everywhere', ...formRequest(303), headers: ADMIN_HEADERS }],
};

export const ACT: Operation = {
  operationId: 'actInConsole',
  summary: 'Do something in the console',
  description:
    'Where the forms of the console go; programs use `/api/admin`. A takedown and a block are done when `confirmed` comes with them; without it the answer is a page that asks. Each step is an entry of the audit trail.',
  tags: ['Admin'],
  security: ADMIN_ONLY,
  parameters: parameters(...ADMIN),
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        action: Type.Unsafe({
          type: 'string',
          enum: [
            ...['take-down', 'hide', 'show', 'release', 'rescan', 'settle', 'dismiss', 'note'],
            ...['take-down-owner', 'terms', 'block', 'end-block'],
            ...['take-down-many', 'block-content', 'unblock-content', 'resend'],
          ],
        }),
        item: text('An item as `namespace/id`.'),
        finding: text('Of a release: the `findingId` of the item in the list of publications.'),
        confirmed: text('`1`: the operator has been asked.'),
        mark: text('Of a form of the console; asked of whoever has the cookie.'),
        back: text('The page of the console to return to.'),
      }),
      { action: 'take-down', item: 'public/Ab3dE6gH9k', back: '/admin/publications' },
    ),
  },
  responses: {
    '200': ownPage('Asks whether it is meant.', 'Are you sure? · Console · Perch'),
    '303': redirect('It is done: back to the page.'),
    ...failures(
      [
        'VALIDATION_FAILED',
        'NOT_FOUND',
        'LIMIT_REACHED',
        'FINDING_CHANGED',
        'UNSUPPORTED_MEDIA_TYPE',
        ...ADMIN_CODES,
      ],
      { page: true },
    ),
  },
  'x-example-requests': [
    { summary: 'A takedown, not confirmed', ...formRequest(200), headers: ADMIN_HEADERS },
  ],
};
