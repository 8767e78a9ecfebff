import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import type { AuditAction } from '../../../../../shared/contracts/audit.ts';
import type { PerchError } from '../../../../../shared/errors.ts';
import { readForm } from '../../../admission/read-body.ts';
import { asPerchError } from '../../../http/error-status.ts';
import { requestScope } from '../../../http/request-context.ts';
import { redirect } from '../../../openapi/answers.ts';
import { documented } from '../../../openapi/documented.ts';
import { formRequest, urlEncoded } from '../../../openapi/forms.ts';
import type { Operation } from '../../../openapi/operation.ts';
import { ADMIN, parameters } from '../../../openapi/parameters.ts';
import { ADMIN_CODES, failures, ownPage } from '../../../openapi/responses.ts';
import { ADMIN_HEADERS, type AdminDependencies, FOR_OPERATOR } from '../admitted.ts';
import { blockNamed } from '../block-input.ts';
import { contentHashNamed } from '../blocked-content.ts';
import { type Acting, createOperatorActions, type OperatorActions } from '../operator-actions.ts';
import { confirmPage, failurePage } from './action-pages.ts';
import { consoleResponse, problemPage } from './frame.ts';
import { addressWith } from './parts.ts';
import { type Plan, planOf, type Step } from './plan.ts';
import { forOperator } from './sign-in.ts';
import type { Words } from './words.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const ACT: Operation = {
  operationId: 'actInConsole',
  summary: 'Do something in the console',
  description:
    'Where the forms of the console go; programs use `/api/admin`. A takedown and a block are done when `confirmed` comes with them; without it the answer is a page that asks. Each step is an entry of the audit trail.',
  ...FOR_OPERATOR,
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

/** The address of every form of the console that does something, but of signing in and out (specification 18.8). */
export function actionRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  return new Elysia().use(requestScope).post(
    '/admin/actions',
    ({ context }) =>
      forOperator(deps, context, async (request) => {
        const { operator, words } = request;
        const fields = await readForm(context, deps.budget);
        const { session } = operator;
        if (session !== null) deps.adminSessions.requireForm(context, session, fields.get('mark') ?? '');
        const plan = planned(fields, deps.clock.now(), words);
        if ('problem' in plan) {
          const page = problemPage(request, plan.problem, '/admin');
          return consoleResponse(request, null, page);
        }
        if (plan.asks && fields.get('confirmed') !== '1')
          return consoleResponse(request, null, confirmPage(request, fields, plan));
        const performed = await perform(actions, { context, operator }, plan);
        if (performed.failed !== null)
          return consoleResponse(request, null, failurePage(request, plan, performed));
        return goTo(plan.back, namesOf(performed.done));
      }),
    { parse: 'none', detail: documented(ACT, 'console') },
  );
}

function planned(fields: URLSearchParams, now: number, words: Words): Plan | { problem: unknown } {
  try {
    return planOf(fields, now, words);
  } catch (problem) {
    return { problem };
  }
}

/** The result of a plan: all of it was done, or `failed` says at which step it ended. */
export interface Performed {
  done: Step[];
  failed: { step: Step; error: PerchError } | null;
}

/** Does one step after the other, up to the first that fails: a report is settled last, when all else is done. */
async function perform(actions: OperatorActions, acting: Acting, { steps, note }: Plan): Promise<Performed> {
  const done: Step[] = [];
  for (const step of steps) {
    try {
      acting.context.restartDeadline();
      await performStep(actions, { ...acting, note }, step);
      done.push(step);
    } catch (error) {
      return { done, failed: { step, error: asPerchError(error) } };
    }
  }
  return { done, failed: null };
}

async function performStep(actions: OperatorActions, acting: Acting, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'take-down-item':
      // Of two clicks the second finds nothing, and its owner may have been faster.
      return await actions.takeDown(acting, step.item, step.blockContent).catch(unlessGone);
    case 'hide-item':
    case 'show-item':
      return await actions.setHidden(acting, step.item, step.do === 'hide-item');
    case 'review-reported-item': {
      const { do: _, ...review } = step;
      return await actions.reviewItem(acting, review);
    }
    case 'release-item':
      return await actions.release(acting, step.item, step.findingId);
    case 'start-rescan':
      return await actions.startRescan(acting);
    case 'take-down-owner':
      return await actions.takeDownOwner(acting, step.ownerId);
    case 'set-owner-terms':
      return await actions.setTerms(acting, step.terms);
    case 'take-down-many':
      return await actions.takeDownMany(acting, step.takedown);
    case 'block-content':
      return await actions.blockContent(acting, step.hash, step.reason);
    case 'unblock-content':
      return await actions.unblockContent(acting, contentHashNamed(step.hash));
    case 'resend-notification':
      return await actions.resend(acting, step.id);
    case 'block-clients':
      return await actions.block(acting, step.clients);
    case 'end-block':
      return await actions.endBlock(acting, blockNamed(step.id));
    case 'review-report': {
      const { do: _, ...review } = step;
      return await actions.review(acting, review);
    }
  }
}

function unlessGone(error: unknown): void {
  if (asPerchError(error).code !== 'NOT_FOUND') throw error;
}

/** The steps' names, for the page that says what was done. */
const namesOf = (steps: readonly Step[]): string =>
  [...new Set<AuditAction>(steps.map((step) => step.do))].join(',');

function goTo(back: string, done: string): Response {
  const [path = '', query = ''] = back.split('?');
  const Location = addressWith(path, new URLSearchParams(query), {});
  return new Response(null, {
    status: 303,
    headers: {
      Location: `${Location}${Location.includes('?') ? '&' : '?'}done=${encodeURIComponent(done)}`,
      'Cache-Control': 'no-store',
    },
  });
}
