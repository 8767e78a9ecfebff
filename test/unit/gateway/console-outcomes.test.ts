import { expect, test } from 'bun:test';
import { failurePage } from '../../../services/gateway/features/admin/console/action-pages.ts';
import { perform } from '../../../services/gateway/features/admin/console/actions.ts';
import type { ConsoleRequest } from '../../../services/gateway/features/admin/console/frame.ts';
import * as steps from '../../../services/gateway/features/admin/console/steps.ts';
import { wordsIn } from '../../../services/gateway/features/admin/console/words.ts';
import type {
  Acting,
  OperatorActions,
  Takedown,
} from '../../../services/gateway/features/admin/operator-actions.ts';
import { LANGUAGES } from '../../../services/gateway/http/language.ts';
import { errors } from '../../../shared/errors.ts';

const ITEM = { namespace: 'public', id: 'a' };
const TAKEDOWN: Takedown = {
  target: { by: 'owner', value: 'f'.repeat(64) },
  blockContent: false,
  reason: 'Spam.',
  limit: 1_000,
};

const many = steps.takeDownMany(TAKEDOWN);
const ofContent = steps.takeDownMany({ ...TAKEDOWN, target: { by: 'content', value: 'f'.repeat(64) } });
const review = steps.reviewItem({ ...ITEM, status: 'dismissed' });
const one = steps.takeDownItem(ITEM, false);

test.each([
  ['takedown of many items', many.action, [0, 1, 2].map((n) => many.outcomeOf?.({ removed: n, left: 0 }))],
  [
    'takedown of content',
    ofContent.action,
    [0, 1].map((n) => ofContent.outcomeOf?.({ removed: n, left: 0 })),
  ],
  ['review of an item', review.action, [0, 1].map((n) => review.outcomeOf?.({ reviewed: n, left: 0 }))],
  ['takedown of an item', one.action, [true, false].map((gone) => one.outcomeOf?.({ gone }))],
])('a %s that finds nothing does not tell that it was done', (_, action, [nothing, ...some]) => {
  for (const outcome of some) expect(outcome).toBe(action);
  assertOwnWords(nothing, action);
});

test.each([
  ['takedown of many items', many.action, [0, 1].map((n) => many.outcomeOf?.({ removed: n, left: 1 }))],
  ['review of an item', review.action, [0, 1].map((n) => review.outcomeOf?.({ reviewed: n, left: 1 }))],
])('a %s that leaves some tells of it in words of its own', (_, action, outcomes) => {
  for (const partly of outcomes) assertOwnWords(partly, action);
});

test('a takedown that found nothing tells whether the content is blocked, or some is left', () => {
  const outcomes = [many, ofContent].map(({ outcomeOf }) => outcomeOf?.({ removed: 0, left: 0 }));
  outcomes.push(...[0, 1].map((removed) => many.outcomeOf?.({ removed, left: 1 })));
  expect(new Set(outcomes).size).toBe(outcomes.length);
});

function assertOwnWords(outcome: steps.Outcome | undefined, action: steps.Outcome): void {
  expect(outcome).toBeString();
  for (const language of LANGUAGES) {
    const { done } = wordsIn(language).texts.actions;
    expect(done[outcome ?? action]).toBeString();
    expect(done[outcome ?? action]).not.toBe(done[action]);
  }
}

/** Does the steps of a form about an item whose takedown fails with that error. Tells which actions were tried. */
async function performed(form: steps.Step[], failure: Error) {
  const tried: string[] = [];
  const done = (name: string) => async () => void tried.push(name);
  const actions = {
    takeDown: async () => {
      tried.push('takeDown');
      throw failure;
    },
    takeDownOwner: done('takeDownOwner'),
    review: done('review'),
  } as unknown as OperatorActions;
  const context = { requestId: 'r', restartDeadline: () => undefined };
  const result = await perform(actions, { context } as unknown as Acting, { steps: form, note: null });
  return { tried, result, context };
}

const gone = errors.contentNotFound(ITEM.namespace, ITEM.id);
const formWith = (blockContent: boolean): steps.Step[] => [
  steps.takeDownItem(ITEM, blockContent),
  steps.takeDownOwner('f'.repeat(64)),
  steps.reviewReport({ reportId: 'x', status: 'actioned' }),
];

test('of an item that is gone nothing is blocked, which is told, and its report stays open', async () => {
  const { tried, result, context } = await performed(formWith(true), gone);
  expect(tried).toEqual(['takeDown', 'takeDownOwner']);
  expect(result.failures.map(({ error }) => error.code)).toEqual(['NOT_FOUND']);
  expect(result.left.map(({ action }) => action)).toEqual(['review-report']);
  expect(result.outcomes).toEqual(['take-down-owner']);
  for (const language of LANGUAGES) {
    const words = wordsIn(language);
    const page = failurePage(
      { context, words } as unknown as ConsoleRequest,
      new URLSearchParams(),
      { back: '/admin' },
      result,
    );
    expect(page.status).toBe(404);
    expect(String(page.body)).toContain(words.texts.actions.contentNotBlocked);
  }
});

test('without a block the takedown of an item that is gone is no failure', async () => {
  const { tried, result } = await performed(formWith(false), gone);
  expect(tried).toEqual(['takeDown', 'takeDownOwner', 'review']);
  expect([result.failures, result.left]).toEqual([[], []]);
  expect(result.outcomes).toEqual(['take-down-item-gone', 'take-down-owner', 'review-report']);
});

test.each([true, false])(
  'another failure ends the form, with a block of content %p or not',
  async (block) => {
    const { tried, result } = await performed(formWith(block), errors.unavailable('away'));
    expect(tried).toEqual(['takeDown']);
    expect(result.failures.map(({ error }) => error.code)).toEqual(['UNAVAILABLE']);
    expect(result.left.map(({ action }) => action)).toEqual(['take-down-owner', 'review-report']);
  },
);
