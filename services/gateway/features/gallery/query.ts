import { GALLERY_SORTS, type GallerySort, SEARCH_CHARACTERS } from '../../../../shared/contracts/gallery.ts';
import { type Kind, LIMITS } from '../../../../shared/items/item.ts';
import {
  type NumberedPage,
  parseCount,
  parseKind,
  parseNumberedPage,
  parseText,
  pick,
} from '../../http/parameters.ts';
import type { ValidationIssues } from '../../http/validation-issues.ts';

/** The part of the gallery that a request asks for (specification 13.1). */
export interface GalleryQuery extends NumberedPage {
  search: string | null;
  kind: Kind | null;
  tag: string | null;
  sort: GallerySort;
}

/** Items on a page for people: whole rows, however many cards stand side by side. */
export const CARDS = 24;

const GALLERY_PAGE = { default: 20, max: 100 };

/** Reads the gallery's parameters. `only`: the one kind that an address lists. */
export function parseGalleryQuery(
  query: URLSearchParams,
  only: Kind | null,
  issues: ValidationIssues,
  defaultSize = GALLERY_PAGE.default,
): GalleryQuery {
  const kind = parseKind(query, issues);
  if (only !== null && kind !== null && kind !== only)
    issues.add('kind', `here are only items of kind ${only}.`);
  const { page, size } = parseNumberedPage(query, { ...GALLERY_PAGE, default: defaultSize }, issues);
  const limit = parseCount(query, 'limit', GALLERY_PAGE.max, issues);
  const sizeGiven = (query.get('size')?.trim() ?? '') !== '';
  return {
    search: parseText(pick(query, {}, ['q', 'search']), 'q', SEARCH_CHARACTERS, issues),
    kind: only ?? kind,
    // As tags are kept.
    tag: parseText(query.get('tag'), 'tag', LIMITS.tagCharacters, issues)?.toLowerCase() ?? null,
    sort: parseSort(query, issues),
    page,
    size: sizeGiven ? size : (limit ?? size),
  };
}

function parseSort(query: URLSearchParams, issues: ValidationIssues): GallerySort {
  const text = query.get('sort')?.trim() || 'date';
  const sort = GALLERY_SORTS.find((known) => known === text);
  if (sort === undefined) issues.add('sort', `must be one of ${GALLERY_SORTS.join(', ')}.`);
  return sort ?? 'date';
}

/** The path and query of a view of the gallery, without parameters at their default. */
export function galleryAddress({ search, kind, tag, sort, page, size }: GalleryQuery): string {
  const query = new URLSearchParams();
  if (search !== null) query.set('q', search);
  if (kind !== null) query.set('kind', kind);
  if (tag !== null) query.set('tag', tag);
  if (sort !== 'date') query.set('sort', sort);
  if (page !== 1) query.set('page', String(page));
  if (size !== CARDS) query.set('size', String(size));
  return query.size === 0 ? '/gallery' : `/gallery?${query}`;
}

/** Whether a view shows all there is, part by part: only that is for search engines. */
export const isWholeGallery = ({ search, kind, tag, sort }: GalleryQuery): boolean =>
  search === null && kind === null && tag === null && sort === 'date';
