import { GALLERY_SORTS, type GallerySort, SEARCH_CHARACTERS } from '../../../../shared/contracts/gallery.ts';
import { type Kind, LIMITS } from '../../../../shared/items/item.ts';
import { parseKind } from '../../http/kind-filter.ts';
import { type NumberedPage, parseCount, parseNumberedPage } from '../../http/numbered-page.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { Faults } from '../../http/validation-issues.ts';

/** What of the gallery is asked for (specification 13.1). */
export interface GalleryQuery extends NumberedPage {
  search: string | null;
  kind: Kind | null;
  tag: string | null;
  sort: GallerySort;
}

export const GALLERY_PAGE = { default: 20, max: 100 };

/** Reads the gallery's parameters. `only`: the one kind that an address lists. */
export function parseGalleryQuery(query: URLSearchParams, only: Kind | null, faults: Faults): GalleryQuery {
  const kind = parseKind(query, faults);
  if (only !== null && kind !== null && kind !== only)
    faults.add('VALIDATION_FAILED', 'kind', `here are only items of kind ${only}.`);
  const { page, size } = parseNumberedPage(query, GALLERY_PAGE, faults);
  const limit = parseCount(query, 'limit', GALLERY_PAGE.max, faults);
  const sizeGiven = (query.get('size')?.trim() ?? '') !== '';
  return {
    search: parseText(pick(query, {}, ['q', 'search']), 'q', SEARCH_CHARACTERS, faults),
    kind: only ?? kind,
    // As tags are kept.
    tag: parseText(query.get('tag'), 'tag', LIMITS.tagCharacters, faults)?.toLowerCase() ?? null,
    sort: parseSort(query, faults),
    ...{ page, size: sizeGiven ? size : (limit ?? size) },
  };
}

function parseSort(query: URLSearchParams, faults: Faults): GallerySort {
  const text = query.get('sort')?.trim() || 'date';
  const sort = GALLERY_SORTS.find((known) => known === text);
  if (sort === undefined)
    faults.add('VALIDATION_FAILED', 'sort', `must be one of ${GALLERY_SORTS.join(', ')}.`);
  return sort ?? 'date';
}
