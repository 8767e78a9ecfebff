import { formatSize } from '../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import type { Texts } from '../../web/texts/texts.ts';
import type { ZipContents } from './zip-contents.ts';

/** Characters of a path that are shown. */
const SHOWN = 500;

/** The contents of a ZIP for people: paths are text, whatever they say. */
export function zipList({ entries, count, bytes }: ZipContents, { zip, language: words }: Texts): SafeHtml {
  const hidden = count - entries.length;
  return html`<section class="zip-view">
<p class="hint">${zip.summary(count)} · ${zip.unpacked(formatSize(bytes, words))}. ${zip.trust}</p>
<div class="csv-scroll zip-scroll" tabindex="0" role="region" aria-label="${zip.caption}"><table class="csv plain">
<caption class="visually-hidden">${zip.caption}</caption>
<thead><tr><th scope="col">${zip.path}</th><th scope="col">${zip.size}</th><th scope="col">${zip.packed}</th></tr></thead>
<tbody>${entries.map((entry) => row(entry, words))}</tbody></table></div>
${hidden > 0 ? html`<p class="hint">${zip.notShown(hidden)}</p>` : null}</section>`;
}

function row(
  { name, size, compressedSize }: ZipContents['entries'][number],
  words: Texts['language'],
): SafeHtml {
  const isFolder = name.endsWith('/');
  const shown = visible(name.length > SHOWN ? `${name.slice(0, SHOWN).toWellFormed()}…` : name);
  const sizes = isFolder
    ? html`<td></td><td></td>`
    : html`<td>${formatSize(size, words)}</td><td>${formatSize(compressedSize, words)}</td>`;
  return html`<tr><th scope="row"><bdi>${shown}</bdi></th>${sizes}</tr>\n`;
}

/** Control characters and marks that turn the direction of text, by which `gpj.exe` reads as `exe.jpg`, as what they are. */
const visible = (name: string): string =>
  name.replace(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
