import { dateTag, formatSize, instantTag } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';
import { restateExactly } from './value.ts';

export interface StorePageEntry {
  readonly key: string;
  /** JSON text; `null` when it is too large to show. */
  readonly value: string | null;
  readonly sizeBytes: number;
  readonly version: number;
  readonly updatedAt: Date;
}

export interface StorePageInput {
  readonly namespace: string;
  readonly id: string;
  /** Empty when its owner gave it none. */
  readonly title: string;
  /** In the order shown. */
  readonly entries: readonly StorePageEntry[];
  /** How many keys there are; more than `entries` when not all are shown. */
  readonly count: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly reportUrl: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Where search engines are to find it, absolute; nothing for what is not for them. */
  readonly publicUrl?: string;
  /** A picture for links to it, absolute. */
  readonly previewUrl?: string;
}

/** How much of all values one page shows, in characters; each gets its share within these bounds. */
const SHOWN_CHARACTERS = { all: 400_000, mostOfOne: 2_000, leastOfOne: 200 };

/** Above this, in characters or lines, a value scrolls in a box of its own. */
const BOXED = { characters: 600, lines: 12 };

/** A value with more nested parts is shown as it is: laid out, each level of them would widen every line inside it. */
const LAID_OUT_BRACKETS = 60;

/** A key-value store for people: its keys with their values, each leading to its address. */
export function storePage(input: StorePageInput): string {
  const { namespace, id, title, entries, count, createdAt, expiresAt, reportUrl } = input;
  const { publicUrl, previewUrl } = input;
  const share = SHOWN_CHARACTERS.all / Math.max(entries.length, 1);
  const most = Math.floor(Math.min(Math.max(share, SHOWN_CHARACTERS.leastOfOne), SHOWN_CHARACTERS.mostOfOne));
  const address = `${input.baseUrl}/${namespace}/${id}`;
  const name = html`<span class="muted">${namespace}/</span>${id}`;
  const hidden = count - entries.length;
  const body = html`<article class="store-view">
<header class="item-head">
<h1>${title === '' ? name : html`<bdi>${title}</bdi>`}</h1>
<ul class="item-facts">${title === '' ? null : html`<li>${name}</li>`}<li>Key-value store</li><li>${keyCount(count)}</li><li>Added ${dateTag(createdAt)}</li><li>Expires ${dateTag(expiresAt)}</li></ul>
<nav class="item-actions" aria-label="Store"><a class="item-report" href="${reportUrl}">Report</a></nav>
</header>
${entries.length === 0 ? html`<p class="muted">This store is empty.</p>` : table(entries, address, most)}
${hidden > 0 ? html`<p class="muted">${keyCount(hidden)} more ${hidden === 1 ? 'is' : 'are'} not shown.</p>` : null}
</article>`;
  return page({
    ...{ title: `${title || `${namespace}/${id}`} · Perch`, body, width: 'wide' },
    description: `A key-value store with ${keyCount(count)}.`,
    ...(publicUrl === undefined ? {} : { address: publicUrl }),
    ...(previewUrl === undefined ? {} : { imageUrl: previewUrl }),
  });
}

const keyCount = (count: number): string => (count === 1 ? '1 key' : `${count.toLocaleString('en')} keys`);

function table(entries: readonly StorePageEntry[], address: string, most: number): SafeHtml {
  return html`<table class="entries">
<caption class="visually-hidden">Keys and values</caption>
<thead><tr><th scope="col">Key</th><th scope="col">Value</th><th scope="col">Size</th><th scope="col">Updated</th></tr></thead>
<tbody>
${entries.map((entry) => row(entry, address, most))}</tbody>
</table>`;
}

function row(entry: StorePageEntry, address: string, most: number): SafeHtml {
  const { key, sizeBytes, version, updatedAt } = entry;
  const versions = version === 1 ? null : html`<span class="entry-version">version ${version}</span>`;
  return html`<tr><th scope="row">${keyLink(key, address)}</th><td class="entry-value">${shownValue(entry, most)}</td><td class="entry-size">${formatSize(sizeBytes)}</td><td class="entry-time">${instantTag(updatedAt)} ${versions}</td></tr>
`;
}

/** Addresses whose last part is one or two dots lead elsewhere, however they are written (URL standard). */
function keyLink(key: string, address: string): SafeHtml {
  const text = html`<bdi>${key}</bdi>`;
  if (key === '.' || key === '..') return text;
  return html`<a href="${address}/${encodeURIComponent(key.toWellFormed())}">${text}</a>`;
}

function shownValue({ key, value }: StorePageEntry, most: number): SafeHtml {
  if (value === null) return html`<p class="muted">Too large to show here.</p>`;
  const text = readable(value, most);
  const shown = text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
  const boxed = shown.length > BOXED.characters || shown.split('\n', BOXED.lines + 1).length > BOXED.lines;
  const box = boxed ? html` class="boxed" tabindex="0" role="region" aria-label="Value of ${key}"` : null;
  return html`<pre dir="auto"${box}>${shown}</pre>`;
}

/** Text as it is and all else as JSON, laid out when it is short enough to be seen whole. */
function readable(value: string, most: number): string {
  try {
    if (value.startsWith('"')) return JSON.parse(beginningOfText(value, most));
    if (value.length > most) return value;
    return (value.match(/[[{]/g)?.length ?? 0) > LAID_OUT_BRACKETS
      ? value
      : restateExactly(value, (said) => said, 2);
  } catch {
    return value;
  }
}

/** As much of a JSON string as gives more characters than are shown: an escape takes at most six of its own. */
function beginningOfText(value: string, most: number): string {
  const [whole] = /^"(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/i.exec(value.slice(0, 6 * most + 8)) ?? [''];
  return `${whole}"`;
}
