import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { parseRows, separatorOf } from '../../../shared/pages/separated-values.ts';
import type { Texts } from '../web/texts/texts.ts';

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

/** As much of a text as a page has in it, in bytes. */
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
