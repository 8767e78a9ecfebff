import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import {
  type DirectoryEntry,
  headerLength,
  MIN_HEADER_BYTES,
  parseHeader,
  readEntryName,
} from '../../archives/central-directory.ts';
import type { ArchiveSource } from '../../archives/end-record.ts';
import { readEndRecord } from '../../archives/end-record.ts';
import type { Texts } from '../../web/texts/texts.ts';

/** The contents of a ZIP as it states them. Nothing is unpacked, and none of it is checked. */
export interface ZipContents {
  readonly entries: ReadonlyArray<Pick<DirectoryEntry, 'name' | 'size' | 'compressedSize'>>;
  /** How many entries the archive says it has; more than are listed when it has too many to show. */
  readonly count: number;
  /** Bytes of the listed entries together, unpacked, as the archive says. */
  readonly bytes: number;
}

/** Entries that are listed, and bytes of the directory that are read for that. */
const MAX = { entries: 1_000, bytes: 256 * 1024 };

/** Lists a ZIP by its directory alone; `null` for one that is empty, or whose directory cannot be read. */
export async function readZipContents(source: ArchiveSource): Promise<ZipContents | null> {
  try {
    const { directoryOffset, directorySize, entries: count } = await readEndRecord(source);
    if (count === 0) return null;
    const directory = await source.read(directoryOffset, Math.min(directorySize, MAX.bytes));
    const entries = entriesOf(directory, Math.min(count, MAX.entries));
    return { entries, count, bytes: entries.reduce((sum, { size }) => sum + size, 0) };
  } catch (error) {
    if (error instanceof PerchError && error.code === 'VALIDATION_FAILED') return null;
    throw error;
  }
}

/** The entries of the beginning of a directory; the last one may be cut off. */
function entriesOf(directory: Buffer, max: number): DirectoryEntry[] {
  const entries: DirectoryEntry[] = [];
  for (let at = 0; entries.length < max; ) {
    const rest = directory.subarray(at);
    const isWhole = rest.length >= MIN_HEADER_BYTES && rest.length >= headerLength(rest);
    if (!isWhole && at > 0) break;
    const { entry, length } = parseHeader(rest, readableName);
    entries.push(entry);
    at += length;
  }
  return entries;
}

/** A name in an encoding of its own is shown as far as it can be read. */
function readableName(bytes: Buffer, extra: Buffer): string {
  try {
    return readEntryName(bytes, extra);
  } catch (error) {
    if (error instanceof PerchError) return new TextDecoder().decode(bytes);
    throw error;
  }
}

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
