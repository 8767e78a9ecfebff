import type { Kind } from '../../../shared/items/item.ts';
import { dateTag } from '../../../shared/pages/format.ts';
import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import { parseRows, separatorOf } from '../../../shared/pages/separated-values.ts';
import type { Texts } from '../web/texts/texts.ts';

interface ItemHead {
  readonly heading: SafeHtml;
  /** Facts about it, which stand before the dates. */
  readonly facts: ReadonlyArray<SafeHtml | string | null>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Links to what can be done with it, the most likely first; the report comes of itself. */
  readonly actions: readonly SafeHtml[];
  /** The subject of the actions, for screen readers. */
  readonly actionsOf: string;
  readonly reportUrl: string;
}

/** The top of the page of one item: what it is, and what can be done with it. */
export function itemHead(head: ItemHead, { language: words }: Texts): SafeHtml {
  const { heading, facts, createdAt, expiresAt, actions, actionsOf, reportUrl } = head;
  const listed = facts.filter((fact) => fact !== null).map((fact) => html`<li>${fact}</li>`);
  return html`<header class="item-head">
<h1>${heading}</h1>
<ul class="item-facts">${listed}<li>${words.added} ${dateTag(createdAt, words)}</li><li>${words.expires} ${dateTag(expiresAt, words)}</li></ul>
<nav class="item-actions" aria-label="${actionsOf}">${actions}<a class="item-report" href="${reportUrl}">${words.report}</a></nav>
</header>`;
}

/** Texts with a structure that the page of an item shows. */
export type DataFormat = 'json' | 'csv' | 'tsv';

export interface DataViewInput {
  readonly format: DataFormat;
  /** The bytes, for the page's own script. */
  readonly dataUrl: string;
  /** How the text begins: for who reads without script, and until the script has loaded it whole. */
  readonly beginning: string;
  /** Whether that is all of it. */
  readonly isWhole: boolean;
  /** Where the whole text is to be read. */
  readonly wholeUrl: string;
}

/** Bytes of a text that its page has in it at the most. */
export const BEGINNING_BYTES = 32_768;

/** Rows and columns of a table that a page has in it. */
const BEGINNING = { rows: 100, columns: 50 };

/** Assets of a page with such a view: the script that puts a viewer in place of the beginning, and its style. */
export const DATA_ASSETS = { script: 'data', styles: ['viewers.css'] };

/** How a text with a structure begins, for the script of the page to put a viewer in its place. */
export function dataView(view: DataViewInput, { dataView: texts }: Texts): SafeHtml {
  const { format, dataUrl, beginning, isWhole, wholeUrl } = view;
  const shown = format === 'json' ? source(beginning, texts) : table(beginning, format, texts);
  const more = isWhole
    ? null
    : html`<p class="hint">${texts.beginning} <a href="${wholeUrl}">${texts.whole}</a></p>`;
  return html`<section class="data-view" data-format="${format}" data-source="${dataUrl}">${shown}${more}</section>`;
}

const source = (text: string, texts: Texts['dataView']): SafeHtml =>
  html`<pre class="data-source" dir="auto" tabindex="0" role="region" aria-label="${texts.text}">${text}</pre>`;

function table(text: string, format: DataFormat, texts: Texts['dataView']): SafeHtml {
  const separator = format === 'tsv' ? '\t' : separatorOf(text);
  const [heading = [], ...rows] = parseRows(text, separator, BEGINNING.rows).map((row) =>
    row.slice(0, BEGINNING.columns),
  );
  const cells = (row: string[], tag: 'td' | 'th'): SafeHtml[] =>
    row.map((cell) =>
      tag === 'td' ? html`<td><bdi>${cell}</bdi></td>` : html`<th scope="col"><bdi>${cell}</bdi></th>`,
    );
  return html`<div class="csv-scroll" tabindex="0" role="region" aria-label="${texts.table}"><table class="csv plain">
<caption class="visually-hidden">${texts.table}</caption>
<thead><tr>${cells(heading, 'th')}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${cells(row, 'td')}</tr>\n`)}</tbody></table></div>`;
}

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
