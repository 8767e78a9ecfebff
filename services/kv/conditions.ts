import { errors } from '../../shared/errors.ts';

/**
 * The ETag of a key is its sequence in base 36: a key that was removed and written again never has an old one. Tags
 * of any other form match nothing.
 */
export function sequencesOf(tags: string[]): number[] {
  return tags
    .map((tag) => ({ tag, sequence: Number.parseInt(tag, 36) }))
    .filter(({ tag, sequence }) => Number.isSafeInteger(sequence) && sequence.toString(36) === tag)
    .map(({ sequence }) => sequence);
}

/**
 * `ifMatch` as in the contract; `existing` is the key's sequence, `null` when it is not there (RFC 9110, section
 * 13.1.1).
 * @throws PRECONDITION_FAILED
 */
export function assertMatch(existing: number | null, ifMatch: string[] | null): void {
  if (ifMatch === null) return;
  const matches = existing !== null && (ifMatch.length === 0 || sequencesOf(ifMatch).includes(existing));
  if (!matches) throw errors.preconditionFailed();
}

/** `ifAbsent` as in the contract (RFC 9110, section 13.1.2). @throws PRECONDITION_FAILED */
export function assertAbsent(existing: number | null, ifAbsent: boolean): void {
  if (ifAbsent && existing !== null) throw errors.keyTaken();
}
