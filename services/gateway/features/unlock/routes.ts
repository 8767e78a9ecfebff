import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { errors } from '../../../../shared/errors.ts';
import type { ItemRef } from '../../../../shared/items/item.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { limited } from '../../admission/limited.ts';
import { readForm } from '../../admission/read-body.ts';
import { destinationAddress, issueCookie, type UnlockIssue } from '../../auth/unlock-form.ts';
import { errorBody } from '../../http/error-status.ts';
import { prefersHtml } from '../../http/preferred-type.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import { documented } from '../../openapi/documented.ts';
import { formRequest, urlEncoded } from '../../openapi/forms.ts';
import { headers, RATE_LIMIT } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';

const UNLOCK: Operation = {
  operationId: 'unlock',
  summary: 'Open an item with a password in a browser',
  description:
    'Where the password form of a protected item goes: the right password sets a cookie that opens this item for an hour. A browser is sent back to the form with a wrong one, other clients get the error. A browser that sends it for another page is refused.',
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
      description:
        'To the item. `Set-Cookie` opens it, or, for a browser, tells its form what was wrong; without a password there is none.',
      headers: headers(['Location', 'Cache-Control'], ['Set-Cookie', ...RATE_LIMIT]),
    },
    ...failures(
      [
        ...([
          'VALIDATION_FAILED',
          'PASSWORD_REQUIRED',
          'PASSWORD_WRONG',
          'NOT_FOUND',
          'QUARANTINED',
        ] as const),
        ...(['CROSS_SITE_FORBIDDEN', 'UNSUPPORTED_MEDIA_TYPE', 'RATE_LIMITED'] as const),
      ],
      { page: true },
    ),
  },
  'x-example-requests': [{ summary: 'A page', needs: 'locked html', ...formRequest(303) }],
};

/** The password form of a protected item: a right password sets the unlock cookie and leads to the item. */
export function unlockRoutes(deps: UploadDependencies) {
  return new Elysia().use(limited(deps)).post(
    '/api/:ns/:id/unlock',
    async ({ context, params }) => {
      const { record } = await findLiveItem(deps, context, params);
      const fields = await readForm(context, deps.budget);
      deps.unlockForms.requireForm(context, record, fields.get('mark') ?? '');
      const answered: Record<string, string> = {
        Location: destinationAddress(record, fields.get('to') ?? ''),
        'Cache-Control': 'no-store',
      };
      if (record.passwordHash !== null) {
        const password = fields.get('password') ?? '';
        try {
          if (password === '') throw errors.passwordRequired();
          await deps.passwords.verify(record, record.passwordHash, password, context.clientKey);
        } catch (error) {
          return backToForm(context, record, answered, error);
        }
        const isSecure = (deps.config.contentBaseUrl ?? context.baseUrl).startsWith('https:');
        answered['Set-Cookie'] = deps.cookies.issue(record, isSecure);
      }
      return new Response(null, { status: 303, headers: answered });
    },
    { limit: 'reads', parse: 'none', detail: documented(UNLOCK, 'form') },
  );
}

/**
 * Leads a browser back to the form, at the item's own address: that of this endpoint cannot be reloaded or shared. Logs
 * and metrics note what was wrong.
 * @throws the error, to other clients, and when it is not about the password
 */
function backToForm(
  context: RequestContext,
  item: ItemRef,
  headers: Record<string, string>,
  error: unknown,
): Response {
  const issue = error instanceof PerchError ? issueFor(error) : null;
  if (!(error instanceof PerchError) || issue === null || !prefersHtml(context.request)) throw error;
  context.loggedStatus = errorBody(error, context.requestId).status;
  return new Response(null, {
    status: 303,
    headers: { ...headers, 'Set-Cookie': issueCookie(item, issue) },
  });
}

function issueFor({ code, retryAfter }: PerchError): UnlockIssue | null {
  if (code === 'PASSWORD_WRONG' || code === 'PASSWORD_REQUIRED') return 'wrong';
  return code === 'RATE_LIMITED' && retryAfter !== null ? { lockedSeconds: retryAfter } : null;
}
