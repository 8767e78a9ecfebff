import { GALLERY_SORTS, type GallerySort, SEARCH_CHARACTERS } from '../../../../shared/contracts/gallery.ts';
import type { Kind } from '../../../../shared/items/item.ts';
import { relativeTimeTag } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import type { Language } from '../../http/language.ts';
import { kindBadge, kindIcon } from '../../pages/item-parts.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import type { CardPicture } from './pictures.ts';
import { CARDS, type GalleryQuery, galleryAddress, isWholeGallery } from './query.ts';

export interface GalleryPageInput {
  readonly view: GalleryQuery;
  readonly items: readonly GalleryCard[];
  /** Items and pages in all. */
  readonly total: number;
  /** Whether `total` counts the ranked ones only, of more. */
  readonly totalIsLowerBound: boolean;
  readonly pages: number;
  readonly now: Date;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly language?: Language;
}

const sortName = (sort: GallerySort, { gallery }: Texts): string =>
  sort === 'date' ? gallery.newest : gallery.mostViewed;

/** Kinds in the order of the gallery's filter: the most published first. */
const SHOWN_KINDS: readonly Kind[] = ['html', 'file', 'site', 'json', 'kv'];

/**
 * The gallery for people: a form and links, which work as they are. `web/browser/pages/gallery.ts` asks for the same page behind the
 * scenes and takes the parts with `data-part` out of it, so that there is one place only where an item is drawn.
 */
export function galleryPage(input: GalleryPageInput): string {
  const { view, baseUrl, language = 'en' } = input;
  const texts = textsIn(language);
  const { gallery } = texts;
  const body = html`<div class="gallery">
<h1>${gallery.title}</h1>
<p class="lead">${gallery.lead}</p>
${form(view, texts)}
<div class="gallery-bar">
<p id="gallery-count" role="status">${countText(input, texts)}</p>
<div id="gallery-filter" data-part>${filter(view, texts)}</div>
${order(view, texts)}
</div>
<div id="gallery-error" class="notice error gallery-error" role="alert" hidden><p></p><button type="button" class="button quiet">${gallery.again}</button></div>
<div id="gallery-results" data-part tabindex="-1">
${results(input, texts)}
</div>
</div>`;
  return page({
    title: titleOf(view, texts),
    description: gallery.description,
    body,
    width: 'wide',
    language,
    script: 'gallery',
    current: '/gallery',
    ...(isWholeGallery(view) ? { address: `${baseUrl}${galleryAddress(view)}` } : {}),
  });
}

function titleOf({ search, page: number }: GalleryQuery, { gallery }: Texts): string {
  const what = search === null ? gallery.title : `${search} · ${gallery.title}`;
  return number === 1 ? `${what} · Perch` : `${what}, ${gallery.page(number)} · Perch`;
}

function form({ search, kind, tag, size }: GalleryQuery, { gallery, kinds }: Texts): SafeHtml {
  const choice = (value: Kind | '', label: string): SafeHtml =>
    html`<input id="kind-${value || 'all'}" type="radio" name="kind" value="${value}"${value === (kind ?? '') ? html` checked` : null}><label for="kind-${value || 'all'}">${label}</label>`;
  return html`<form id="gallery-form" action="/gallery" role="search" class="gallery-form" autocomplete="off">
<div class="gallery-search"><label for="q" class="visually-hidden">${gallery.search}</label>
<input id="q" name="q" type="search" value="${search}" maxlength="${SEARCH_CHARACTERS}" placeholder="${gallery.search}" autocapitalize="off" spellcheck="false" enterkeyhint="search"><button type="submit" class="button">${gallery.submit}</button></div>
<fieldset class="choices"><legend class="visually-hidden">${gallery.kind}</legend>${choice('', gallery.all)}${SHOWN_KINDS.map((name) => choice(name, kinds[name].many))}</fieldset>
<input type="hidden" name="tag" value="${tag}"${tag === null ? html` disabled` : null}>
${size === CARDS ? null : html`<input type="hidden" name="size" value="${size}">\n`}</form>`;
}

/** The sort order's field: beside the results, but part of the form by its `form` attribute. */
const order = ({ sort }: GalleryQuery, texts: Texts): SafeHtml =>
  html`<div class="gallery-sort"><label for="sort" class="visually-hidden">${texts.gallery.order}</label>
<select id="sort" name="sort" form="gallery-form">${GALLERY_SORTS.map((name) => html`<option value="${name}"${name === sort ? html` selected` : null}>${sortName(name, texts)}</option>`)}</select></div>`;

/** The tag that a view is limited to, with a way out of it. */
function filter(view: GalleryQuery, { gallery }: Texts): SafeHtml | null {
  const { tag } = view;
  if (tag === null) return null;
  return html`<a class="filter" href="${galleryAddress({ ...view, tag: null, page: 1 })}" aria-label="${gallery.tagged(tag)}"><bdi>${tag}</bdi><svg viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 4.5l7 7M11.5 4.5l-7 7"/></svg></a>`;
}

function countText(
  { view, total, totalIsLowerBound }: GalleryPageInput,
  { gallery, language: words }: Texts,
): string {
  const { search, tag } = view;
  const matches = totalIsLowerBound ? gallery.atLeastMatch : gallery.matches;
  const found = search === null ? words.items(total) : matches(total, search);
  return tag === null ? found : gallery.andTagged(found);
}

function results(input: GalleryPageInput, texts: Texts): SafeHtml {
  const { items, view, now } = input;
  if (items.length === 0) return nothing(input, texts);
  return html`<ul class="cards" aria-label="${texts.gallery.items}">
${items.map((item) => galleryCard(item, view, now, texts))}</ul>
${pagination(input, texts)}`;
}

function nothing({ view, total, pages }: GalleryPageInput, { gallery }: Texts): SafeHtml {
  if (total > 0)
    return html`<div class="gallery-empty"><p>${gallery.noPage(view.page, pages)}</p><p><a class="button quiet" href="${galleryAddress({ ...view, page: 1 })}" data-view>${gallery.first}</a></p></div>`;
  if (isWholeGallery({ ...view, sort: 'date' }))
    return html`<div class="gallery-empty"><p>${gallery.empty}</p><p><a class="button" href="/">${gallery.publishFirst}</a></p></div>`;
  return html`<div class="gallery-empty"><p>${gallery.noMatch}</p><p class="muted">${gallery.noMatchHint}</p><p><a class="button quiet" href="/gallery" data-view>${gallery.everything}</a></p></div>`;
}

function pagination({ view, pages }: GalleryPageInput, { gallery }: Texts): SafeHtml | null {
  if (pages === 1) return null;
  const link = (number: number, label: string, rel: string): SafeHtml =>
    number < 1 || number > pages
      ? html`<span class="button quiet" aria-hidden="true">${label}</span>`
      : html`<a class="button quiet" rel="${rel}" href="${galleryAddress({ ...view, page: number })}" data-view>${label}</a>`;
  return html`<nav class="pages" aria-label="${gallery.pages}">${link(view.page - 1, gallery.previous, 'prev')}<span>${gallery.pageOf(view.page, pages)}</span>${link(view.page + 1, gallery.next, 'next')}</nav>`;
}

/** An item as the gallery's page shows it. */
interface GalleryCard {
  readonly namespace: string;
  readonly id: string;
  readonly type: Kind;
  readonly title: string;
  readonly tags: readonly string[];
  readonly sizeBytes: number;
  readonly views: number;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly picture: CardPicture | null;
}

/** Its tags lead to what else has them in this view of the gallery. */
function galleryCard(card: GalleryCard, view: GalleryQuery, now: Date, texts: Texts): SafeHtml {
  const { gallery, language: words } = texts;
  const { namespace, id, type, title, tags, sizeBytes, views, picture } = card;
  const tagLink = (tag: string): SafeHtml =>
    html`<li><a href="${galleryAddress({ ...view, tag, page: 1 })}"${tag === view.tag ? html` aria-current="true"` : null}><bdi>${tag}</bdi></a></li>`;
  const shown =
    picture === null
      ? html`<div class="card-picture card-kind kind-${type}">${kindIcon(type)}</div>`
      : html`<div class="card-picture${isSmall(picture) ? ' small' : ''}"><img src="${picture.address}" width="${picture.width}" height="${picture.height}" alt="" loading="lazy" decoding="async"></div>`;
  return html`<li class="card">
${shown}
<p class="card-head">${kindBadge(type, texts)}<span>${relativeTimeTag(new Date(card.createdAt), now, words)}</span></p>
<h2><a class="card-link" href="/${namespace}/${id}"><bdi>${title}</bdi></a></h2>
${tags.length === 0 ? null : html`<ul class="tags" aria-label="${gallery.tags}">${tags.map(tagLink)}</ul>`}
<p class="card-facts"><span>${formatSize(sizeBytes, words)}</span><span>${words.views(views)}</span><span>${words.expires} ${relativeTimeTag(new Date(card.expiresAt), now, words)}</span></p>
</li>
`;
}

/** Whether a picture was never larger: the smallest that others are made is 160 by 100. */
const isSmall = ({ width, height }: CardPicture): boolean => width < 160 || height < 100;
