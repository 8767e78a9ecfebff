import { CommandError, EXIT } from './failures.ts';

/**
 * The answer, with texts in these fields.
 * @throws CommandError for one without them, as a proxy or another service may give
 */
export function withTexts<T extends object>(answer: T, ...names: Array<keyof T>): T {
  if (names.every((name) => typeof answer[name] === 'string' && answer[name] !== '')) return answer;
  throw noPerch();
}

/** @throws CommandError for what is no list */
export function listOf<T>(list: T[] | undefined): T[] {
  if (Array.isArray(list)) return list;
  throw noPerch();
}

const noPerch = (): CommandError =>
  new CommandError(
    'The answer is not as a Perch gives it. The server may be no Perch, or something in front of it has answered.',
    EXIT.unavailable,
  );
