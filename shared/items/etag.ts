import { errors } from '../errors.ts';

/** The entity tag of stored content, without quotes: the same bytes always have the same one. */
export const etagOf = ({ sha256 }: { sha256: string }): string => sha256.slice(0, 32);

/** The entity tag of no bytes at all: every empty file has it, whoever sent it, so it tells nothing of anybody's content. */
export const EMPTY_ETAG = etagOf({
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
});

/**
 * The entity tag of a page as people see it, without quotes. A view shows the title, too, which changes with the item's version
 * where the content does not.
 * @param view names how it is shown
 */
export const viewEtagOf = (content: { sha256: string }, view: string, version: number): string =>
  `${etagOf(content)}-${view}-${version.toString(36)}`;

/** `ifMatch` as in the contract (RFC 9110, section 13.1.1). @throws PRECONDITION_FAILED */
export function assertMatch(existing: { sha256: string }, ifMatch: string[] | null): void {
  if (ifMatch !== null && !ifMatch.includes(etagOf(existing))) throw errors.preconditionFailed();
}

/** As `assertMatch`, of a page: a tag of one of its views, in this version, names what stands as well. @throws PRECONDITION_FAILED */
export function assertPageMatch(
  { content, version }: { content: { sha256: string }; version: number },
  ifMatch: string[] | null,
): void {
  const isOfView = (tag: string): boolean => tag === viewEtagOf(content, tag.split('-')[1] ?? '', version);
  if (ifMatch?.some(isOfView) !== true) assertMatch(content, ifMatch);
}
