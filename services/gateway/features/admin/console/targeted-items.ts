import { call } from '../../../../../shared/contracts/call.ts';
import { type TakedownTarget, takeDownMany } from '../../../../../shared/contracts/takedowns.ts';
import type { ConsoleRequest } from './frame.ts';

/** How many items a takedown would find, and a sentence that says it. */
export async function countItems(
  { deps, context, words }: Pick<ConsoleRequest, 'deps' | 'context' | 'words'>,
  target: TakedownTarget,
): Promise<{ count: number; said: string }> {
  const input = { target, limit: 0, blockContent: false, reason: '' };
  const { left, leftIsLowerBound } = await call(deps.bus, takeDownMany, input, context.callContext);
  const { common, takedowns } = words.texts;
  const number = leftIsLowerBound ? common.orMore(words.number(left)) : words.number(left);
  return { count: left, said: takedowns.found(left, number) };
}
