import { GALLERY_SORTS, type GallerySort, SEARCH_CHARACTERS } from '../../../../shared/contracts/gallery.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';
import { type GalleryCard, galleryCard, KIND_NAMES } from './gallery-card.ts';
import { type GalleryView, galleryAddress, isWholeGallery } from './query.ts';

export interface GalleryPageInput {
  readonly view: GalleryView;
  readonly items: readonly GalleryCard[];
  /** Items and pages in all. */
  readonly total: number;
  readonly pages: number;
  readonly now: Date;
  /** Without a slash at its end. */
  readonly baseUrl: string;
}

const DESCRIPTION = 'Pages, files, sites and data that people have published on Perch for everybody to see.';

const SORT_NAMES: Readonly<Record<GallerySort, string>> = { date: 'Newest first', views: 'Most viewed' };

/** Kinds in the order of the gallery's filter: the most published first. */
const SHOWN_KINDS: readonly Kind[] = ['html', 'file', 'site', 'json', 'kv'];

/**
 * The gallery for people: a form and links, which work as they are. `gallery.js` asks for the same page behind the
 * scenes and takes the parts with `data-part` out of it, so that there is one place only where an item is drawn.
 */
export function galleryPage(input: GalleryPageInput): string {
  const { view, baseUrl } = input;
  const body = html`<div class="gallery">
<h1>Gallery</h1>
<p class="lead">What people have published here for everybody to see, until it expires.</p>
${form(view)}
<div class="gallery-bar">
<p id="gallery-count" role="status">${countText(input)}</p>
<div id="gallery-filter" data-part>${filter(view)}</div>
${order(view)}
</div>
<div id="gallery-error" class="notice error gallery-error" role="alert" hidden><p></p><button type="button" class="button quiet">Try again</button></div>
<div id="gallery-results" data-part tabindex="-1">
${results(input)}
</div>
</div>`;
  return page({
    ...{ title: titleOf(view), description: DESCRIPTION, body, width: 'wide', scripts: ['gallery.js'] },
    ...(isWholeGallery(view) ? { address: `${baseUrl}${galleryAddress(view)}` } : {}),
  });
}

function titleOf({ search, page: number }: GalleryView): string {
  const what = search === null ? 'Gallery' : `${search} · Gallery`;
  return number === 1 ? `${what} · Perch` : `${what}, page ${number} · Perch`;
}

function form({ search, kind, tag }: GalleryView): SafeHtml {
  const choice = (value: Kind | '', label: string): SafeHtml =>
    html`<input id="kind-${value || 'all'}" type="radio" name="kind" value="${value}"${value === (kind ?? '') ? html` checked` : null}><label for="kind-${value || 'all'}">${label}</label>`;
  return html`<form id="gallery-form" action="/gallery" role="search" class="gallery-form" autocomplete="off">
<div class="gallery-search"><label for="q" class="visually-hidden">Search titles and tags</label>
<input id="q" name="q" type="search" value="${search}" maxlength="${SEARCH_CHARACTERS}" placeholder="Search titles and tags" autocapitalize="off" spellcheck="false" enterkeyhint="search"><button type="submit" class="button">Search</button></div>
<fieldset class="choices"><legend class="visually-hidden">Kind</legend>${choice('', 'All')}${SHOWN_KINDS.map((name) => choice(name, KIND_NAMES[name].many))}</fieldset>
<input type="hidden" name="tag" value="${tag}"${tag === null ? html` disabled` : null}>
</form>`;
}

/** The sort order's field: beside the results, but part of the form by its `form` attribute. */
const order = ({ sort }: GalleryView): SafeHtml =>
  html`<div class="gallery-sort"><label for="sort" class="visually-hidden">Order</label>
<select id="sort" name="sort" form="gallery-form">${GALLERY_SORTS.map((name) => html`<option value="${name}"${name === sort ? html` selected` : null}>${SORT_NAMES[name]}</option>`)}</select></div>`;

/** The tag that a view is limited to, with a way out of it. */
function filter(view: GalleryView): SafeHtml | null {
  const { tag } = view;
  if (tag === null) return null;
  return html`<a class="filter" href="${galleryAddress({ ...view, tag: null, page: 1 })}" aria-label="Tagged ${tag}: show all tags"><bdi>${tag}</bdi><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 4.5l7 7M11.5 4.5l-7 7"/></svg></a>`;
}

function countText({ view, total }: GalleryPageInput): string {
  const { search, tag } = view;
  const items = total === 1 ? '1 item' : `${total.toLocaleString('en')} items`;
  const matching = total === 1 ? 'matches' : 'match';
  const found = search === null ? items : `${items} ${matching} “${search}”`;
  return tag === null ? found : `${found}, tagged`;
}

function results(input: GalleryPageInput): SafeHtml {
  const { items, view, now } = input;
  if (items.length === 0) return nothing(input);
  return html`<ul class="cards" aria-label="Items">
${items.map((item) => galleryCard(item, view, now))}</ul>
${pagination(input)}`;
}

function nothing({ view, total, pages }: GalleryPageInput): SafeHtml {
  if (total > 0)
    return html`<div class="gallery-empty"><p>There is no page ${view.page}: there are ${pages}.</p><p><a class="button quiet" href="${galleryAddress({ ...view, page: 1 })}" data-view>Go to the first page</a></p></div>`;
  if (isWholeGallery({ ...view, sort: 'date' }))
    return html`<div class="gallery-empty"><p>Nothing is here yet.</p><p><a class="button" href="/">Publish the first item</a></p></div>`;
  return html`<div class="gallery-empty"><p>Nothing matches.</p><p class="muted">The search looks at titles and tags. Try fewer or shorter words.</p><p><a class="button quiet" href="/gallery" data-view>Show everything</a></p></div>`;
}

function pagination({ view, pages }: GalleryPageInput): SafeHtml | null {
  if (pages === 1) return null;
  const link = (number: number, label: string, rel: string): SafeHtml =>
    number < 1 || number > pages
      ? html`<span class="button quiet" aria-hidden="true">${label}</span>`
      : html`<a class="button quiet" rel="${rel}" href="${galleryAddress({ ...view, page: number })}" data-view>${label}</a>`;
  return html`<nav class="pages" aria-label="Pages">${link(view.page - 1, 'Previous', 'prev')}<span>Page ${view.page.toLocaleString('en')} of ${pages.toLocaleString('en')}</span>${link(view.page + 1, 'Next', 'next')}</nav>`;
}
