import { expect, test } from 'bun:test';
import * as steps from '../../../services/gateway/features/admin/console/steps.ts';
import { wordsIn } from '../../../services/gateway/features/admin/console/words.ts';
import type { Takedown } from '../../../services/gateway/features/admin/operator-actions.ts';
import { LANGUAGES } from '../../../services/gateway/http/language.ts';

const ITEM = { namespace: 'public', id: 'a' };
const TAKEDOWN: Takedown = {
  ...{ target: { by: 'owner', value: 'f'.repeat(64) }, blockContent: false, reason: 'Spam.', limit: 1_000 },
};

test.each([
  ['takedown of many items', steps.takeDownMany(TAKEDOWN)],
  ['review of an item', steps.reviewItem({ ...ITEM, status: 'dismissed' })],
])('a %s that leaves some tells of it in words of its own', (_, { outcomeOf, action }) => {
  expect(outcomeOf?.({ left: 0 })).toBe(action);
  const partly = outcomeOf?.({ left: 1 }) ?? action;
  expect(partly).not.toBe(action);
  for (const language of LANGUAGES) {
    const { done } = wordsIn(language).texts.actions;
    expect(done[partly]).toBeString();
    expect(done[partly]).not.toBe(done[action]);
  }
});
