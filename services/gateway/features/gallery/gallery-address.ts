import type { GalleryQuery } from './query.ts';

/** What of the gallery an address names: all but how many items a page has. */
export type GalleryView = Omit<GalleryQuery, 'size'>;

/** The path and query of a view of the gallery, without what goes without saying. */
export function galleryAddress({ search, kind, tag, sort, page }: GalleryView): string {
  const query = new URLSearchParams();
  if (search !== null) query.set('q', search);
  if (kind !== null) query.set('kind', kind);
  if (tag !== null) query.set('tag', tag);
  if (sort !== 'date') query.set('sort', sort);
  if (page !== 1) query.set('page', String(page));
  return query.size === 0 ? '/gallery' : `/gallery?${query}`;
}

/** Whether a view shows all there is, part by part: only that is for search engines. */
export const isWholeGallery = ({ search, kind, tag, sort }: GalleryView): boolean =>
  search === null && kind === null && tag === null && sort === 'date';
