import { instantTag } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import type { Language } from '../../http/language.ts';
import { itemHead } from '../../pages/item-parts.ts';
import { page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import { laidOut } from './value.ts';

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
  /** Entries in the order in which they are shown. */
  readonly entries: readonly StorePageEntry[];
  /** How many keys there are; more than `entries` when not all are shown. */
  readonly count: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly reportUrl: string;
  /** The keys as JSON, for a person who saves or reads them. */
  readonly downloadUrl: string;
  readonly rawUrl: string;
  /** The id of the event that tells of these entries (specification 5.9). */
  readonly state: string;
  /** The store's own address, for the script of the page. */
  readonly ownUrl: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** Where search engines are to find it, absolute; nothing for what is not for them. */
  readonly publicUrl?: string | undefined;
  /** A picture for links to it, absolute. */
  readonly previewUrl?: string | undefined;
  readonly language?: Language;
}

/** How much of all values one page shows, in characters; each gets its share within these bounds. */
const SHOWN_CHARACTERS = { all: 400_000, maxOfOne: 2_000, minOfOne: 200 };

/** Above this, in characters or lines, a value scrolls in a box of its own. */
const BOXED = { characters: 600, lines: 12 };

/** A value with more nested parts is shown as it is: laid out, each level of them would widen every line inside it. */
const LAID_OUT_BRACKETS = 60;

/** All that the table of a store depends on. */
export type StoreTableInput = Pick<
  StorePageInput,
  'namespace' | 'id' | 'entries' | 'count' | 'baseUrl' | 'language'
>;

/** The keys of a store with their values, each leading to its address: most of the work of a page. */
export function storeTable({ namespace, id, entries, count, baseUrl, language }: StoreTableInput): SafeHtml {
  const texts = textsIn(language ?? 'en');
  const { store } = texts;
  const share = SHOWN_CHARACTERS.all / Math.max(entries.length, 1);
  const max = Math.floor(Math.min(Math.max(share, SHOWN_CHARACTERS.minOfOne), SHOWN_CHARACTERS.maxOfOne));
  const hidden = count - entries.length;
  return html`${entries.length === 0 ? html`<p class="muted">${store.empty}</p>` : table(entries, `${baseUrl}/${namespace}/${id}`, max, texts)}
${hidden > 0 ? html`<p class="muted">${store.notShown(hidden)}</p>` : null}`;
}

/** A key-value store for people. @param shown its keys and values */
export function storePage(input: StorePageInput, shown = storeTable(input)): string {
  const { namespace, id, title, count, createdAt, expiresAt, reportUrl } = input;
  const texts = textsIn(input.language ?? 'en');
  const { store, language: words } = texts;
  const name = html`<span class="muted">${namespace}/</span>${id}`;
  const head = {
    heading: title === '' ? name : html`<bdi>${title}</bdi>`,
    actionsOf: store.nav,
    facts: [title === '' ? null : name, store.kind, words.keys(count)],
    createdAt,
    expiresAt,
    actions: [
      liveMark(store.live),
      html`<a class="button" href="${input.downloadUrl}">${words.download}</a>`,
      html`<a class="button quiet" href="${input.rawUrl}">${texts.file.raw}</a>`,
    ],
    reportUrl,
  };
  const body = html`<article class="store-view" data-own="${input.ownUrl}" data-state="${input.state}">
${itemHead(head, texts)}
<div id="store-entries">${shown}</div>
<p id="store-news" class="visually-hidden" role="status"></p>
</article>`;
  return page({
    title: `${title || `${namespace}/${id}`} · Perch`,
    body,
    width: 'wide',
    script: 'store',
    description: store.description(count),
    language: input.language ?? 'en',
    address: input.publicUrl,
    imageUrl: input.previewUrl,
  });
}

/** Shown while the script of the page follows the store. */
const liveMark = (text: string): SafeHtml => html`<span class="live-mark" hidden>${text}</span>`;

function table(entries: readonly StorePageEntry[], address: string, max: number, texts: Texts): SafeHtml {
  const { store } = texts;
  return html`<table class="entries">
<caption class="visually-hidden">${store.caption}</caption>
<thead><tr><th scope="col">${store.key}</th><th scope="col">${store.value}</th><th scope="col">${store.size}</th><th scope="col">${store.updated}</th></tr></thead>
<tbody>
${entries.map((entry) => row(entry, address, max, texts))}</tbody>
</table>`;
}

function row(entry: StorePageEntry, address: string, max: number, texts: Texts): SafeHtml {
  const { store, language: words } = texts;
  const { key, sizeBytes, version, updatedAt } = entry;
  const versions = version === 1 ? null : html`<span class="entry-version">${store.version(version)}</span>`;
  return html`<tr data-key="${key}"><th scope="row">${keyLink(key, address)}</th><td class="entry-value">${shownValue(entry, max, texts)}</td><td class="entry-size">${formatSize(sizeBytes, words)}</td><td class="entry-time">${instantTag(updatedAt, words)} ${versions}</td></tr>
`;
}

/** Addresses whose last part is one or two dots lead elsewhere, however they are written (URL standard). */
function keyLink(key: string, address: string): SafeHtml {
  const text = html`<bdi>${key}</bdi>`;
  if (key === '.' || key === '..') return text;
  return html`<a href="${address}/${encodeURIComponent(key.toWellFormed())}">${text}</a>`;
}

function shownValue({ key, value }: StorePageEntry, max: number, { store }: Texts): SafeHtml {
  if (value === null) return html`<p class="muted">${store.tooLarge}</p>`;
  const text = readable(value, max);
  const shown = text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
  const boxed = shown.length > BOXED.characters || shown.split('\n', BOXED.lines + 1).length > BOXED.lines;
  const box = boxed
    ? html` class="boxed" tabindex="0" role="region" aria-label="${store.valueOf(key)}"`
    : null;
  return html`<pre dir="auto"${box}>${shown}</pre>`;
}

/** Text as it is and all else as JSON, laid out when it is short enough to be seen whole. */
function readable(value: string, max: number): string {
  try {
    if (value.startsWith('"')) return JSON.parse(beginningOfText(value, max));
    if (value.length > max) return value;
    return (value.match(/[[{]/g)?.length ?? 0) > LAID_OUT_BRACKETS ? value : laidOut(value);
  } catch {
    return value;
  }
}

/** The beginning of a JSON string that gives more characters than are shown: an escape takes at most six of its own. */
function beginningOfText(value: string, max: number): string {
  const [whole] = /^"(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*/i.exec(value.slice(0, 6 * max + 8)) ?? [''];
  return `${whole}"`;
}
