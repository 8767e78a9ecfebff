import { Type } from '@sinclair/typebox';
import { Elysia } from 'elysia';
import { asPerchError } from '../../../http/error-status.ts';
import { requestScope } from '../../../http/request-context.ts';
import { redirect } from '../../../openapi/answers.ts';
import { documented } from '../../../openapi/documented.ts';
import { formRequest, urlEncoded } from '../../../openapi/forms.ts';
import { ownPage } from '../../../openapi/responses.ts';
import type { AdminDependencies } from '../admitted.ts';
import { operatorOperation } from '../operation.ts';
import { type Acting, createOperatorActions, type OperatorActions } from '../operator-actions.ts';
import { confirmPage, failurePage } from './action-pages.ts';
import { consoleResponse } from './frame.ts';
import { addressWith } from './parts.ts';
import { ACTION_NAMES, backOf, type Performed, type Plan, planOf } from './plan.ts';
import { problemPage } from './problem-page.ts';
import { forForm } from './sign-in.ts';
import type { Words } from './words.ts';

const text = (description: string) => Type.Optional(Type.String({ description }));

const ACT = operatorOperation({
  operationId: 'actInConsole',
  summary: 'Do something in the console',
  description:
    'Where the forms of the console go; programs use `/api/admin`. A takedown and a block are done when `confirmed` comes with them; without it the answer is a page that asks. Each step is an entry of the audit trail.',
  requestBody: {
    required: true,
    content: urlEncoded(
      Type.Object({
        action: Type.Unsafe({ type: 'string', enum: ACTION_NAMES }),
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
  },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'LIMIT_REACHED', 'FINDING_CHANGED', 'UNSUPPORTED_MEDIA_TYPE'],
  page: true,
  'x-example-requests': [{ summary: 'A takedown, not confirmed', ...formRequest(200) }],
});

/** The address of every form of the console that does something, but of signing in and out (specification 18.8). */
export function actionRoutes(deps: AdminDependencies) {
  const actions = createOperatorActions(deps);
  return new Elysia().use(requestScope).post(
    '/admin/actions',
    ({ context }) =>
      forForm(deps, context, async (request, fields) => {
        const { operator, words } = request;
        const plan = planned(fields, deps.clock.now(), words);
        if ('problem' in plan) {
          const form = { back: backOf(fields.get('back') ?? ''), fields, filters: false };
          const page = problemPage(request, plan.problem, form);
          return consoleResponse(request, null, page);
        }
        if (plan.asks && fields.get('confirmed') !== '1')
          return consoleResponse(request, null, await confirmPage(request, fields, plan));
        const performed = await perform(actions, { context, operator }, plan);
        if (performed.failures.length > 0)
          return consoleResponse(request, null, failurePage(request, fields, plan, performed));
        return goTo(plan.back, [...new Set(performed.outcomes)].join(','));
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

/**
 * Does one step after the other, up to the first that fails, unless that one fails alone. A report is settled last, when all else
 * is done.
 */
export async function perform(
  actions: OperatorActions,
  acting: Acting,
  { steps, note }: Pick<Plan, 'steps' | 'note'>,
): Promise<Performed> {
  const performed: Performed = { done: [], outcomes: [], failures: [], left: [] };
  const { done, outcomes, failures, left } = performed;
  let goesOn = true;
  for (const step of steps) {
    if (!goesOn || (step.settles === true && failures.length > 0)) {
      left.push(step);
      continue;
    }
    try {
      acting.context.restartDeadline();
      const reply = await step.perform(actions, { ...acting, note });
      done.push(step);
      outcomes.push(step.outcomeOf?.(reply) ?? step.action);
    } catch (thrown) {
      const error = asPerchError(thrown);
      failures.push({ step, error });
      goesOn = (step.failsAlone?.(error) ?? null) !== null;
    }
  }
  return performed;
}

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
