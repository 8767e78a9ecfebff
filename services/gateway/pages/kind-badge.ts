import type { Kind } from '../../../shared/items/item.ts';
import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import type { Texts } from '../web/texts/texts.ts';

/** Paths of an icon of 16 by 16. */
const SHAPES: Readonly<Record<Kind, string>> = {
  html: '<path d="M4 1.75h5.5L12.5 4.75v9.5h-8.5z"/><path d="M6.25 7.5h4M6.25 10.5h4"/>',
  file: '<path d="M4 1.75h5.5L12.5 4.75v9.5h-8.5z"/><path d="M9.25 2v3h3"/>',
  site: '<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="1.5"/><path d="M1.75 6h12.5M4 4.4h.01M6 4.4h.01"/>',
  json: '<path d="M6 2.25c-2 0-2.25 1-2.25 2.25s0 3-1.75 3.5c1.75.5 1.75 2.25 1.75 3.5S4 13.75 6 13.75M10 2.25c2 0 2.25 1 2.25 2.25s0 3 1.75 3.5c-1.75.5-1.75 2.25-1.75 3.5S12 13.75 10 13.75"/>',
  kv: '<ellipse cx="8" cy="3.75" rx="5.5" ry="2"/><path d="M2.5 3.75v8.5c0 1.1 2.46 2 5.5 2s5.5-.9 5.5-2v-8.5M2.5 8c0 1.1 2.46 2 5.5 2s5.5-.9 5.5-2"/>',
};

/** A kind as a picture. */
export const kindIcon = (kind: Kind): SafeHtml =>
  trusted(`<svg viewBox="0 0 16 16" aria-hidden="true">${SHAPES[kind]}</svg>`);

/** The kind of an item, as a picture and a word. */
export const kindBadge = (kind: Kind, { kinds }: Texts): SafeHtml =>
  html`<span class="kind kind-${kind}">${kindIcon(kind)}${kinds[kind].one}</span>`;
