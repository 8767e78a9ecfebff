import type { Kind } from '../../../../shared/items/item.ts';
import { relativeTimeTag } from '../../../../shared/pages/format.ts';
import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html, type SafeHtml, trusted } from '../../../../shared/pages/html.ts';
import type { Texts } from '../../web/texts/texts.ts';
import { type GalleryView, galleryAddress } from './query.ts';

/** An item as the gallery's page shows it. */
export interface GalleryCard {
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
}

/** Its tags lead to what else has them in this view of the gallery. */
export function galleryCard(card: GalleryCard, view: GalleryView, now: Date, texts: Texts): SafeHtml {
  const { gallery, language: words } = texts;
  const { namespace, id, type, title, tags, sizeBytes, views } = card;
  const tagLink = (tag: string): SafeHtml =>
    html`<li><a href="${galleryAddress({ ...view, tag, page: 1 })}"${tag === view.tag ? html` aria-current="true"` : null}><bdi>${tag}</bdi></a></li>`;
  return html`<li class="card">
<p class="card-head">${kindBadge(type, texts)}<span>${relativeTimeTag(new Date(card.createdAt), now, words)}</span></p>
<h2><a class="card-link" href="/${namespace}/${id}"><bdi>${title}</bdi></a></h2>
${tags.length === 0 ? null : html`<ul class="tags" aria-label="${gallery.tags}">${tags.map(tagLink)}</ul>`}
<p class="card-facts"><span>${formatSize(sizeBytes, words)}</span><span>${words.views(views)}</span><span>${words.expires} ${relativeTimeTag(new Date(card.expiresAt), now, words)}</span></p>
</li>
`;
}

/** Paths of an icon of 16 by 16. */
const SHAPES: Readonly<Record<Kind, string>> = {
  html: '<path d="M4 1.75h5.5L12.5 4.75v9.5h-8.5z"/><path d="M6.25 7.5h4M6.25 10.5h4"/>',
  file: '<path d="M4 1.75h5.5L12.5 4.75v9.5h-8.5z"/><path d="M9.25 2v3h3"/>',
  site: '<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5"/><path d="M1.75 6h12.5M4 4.4h.01M6 4.4h.01"/>',
  json: '<path d="M6 2.25c-2 0-2.25 1-2.25 2.25s0 3-1.75 3.5c1.75.5 1.75 2.25 1.75 3.5S4 13.75 6 13.75M10 2.25c2 0 2.25 1 2.25 2.25s0 3 1.75 3.5c-1.75.5-1.75 2.25-1.75 3.5S12 13.75 10 13.75"/>',
  kv: '<ellipse cx="8" cy="3.75" rx="5.5" ry="2"/><path d="M2.5 3.75v8.5c0 1.1 2.46 2 5.5 2s5.5-.9 5.5-2v-8.5M2.5 8c0 1.1 2.46 2 5.5 2s5.5-.9 5.5-2"/>',
};

/** The kind of an item, as a picture and a word. */
const kindBadge = (kind: Kind, { kinds }: Texts): SafeHtml =>
  html`<span class="kind kind-${kind}">${trusted(`<svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[kind]}</svg>`)}${kinds[kind].one}</span>`;
