import type { Kind } from '../../../../shared/items/item.ts';
import { relativeTimeTag } from '../../../../shared/pages/format.ts';
import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { kindBadge, kindIcon } from '../../pages/item-parts.ts';
import type { Texts } from '../../web/texts/texts.ts';
import type { CardPicture } from './pictures.ts';
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
  readonly picture: CardPicture | null;
}

/** Its tags lead to what else has them in this view of the gallery. */
export function galleryCard(card: GalleryCard, view: GalleryView, now: Date, texts: Texts): SafeHtml {
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
