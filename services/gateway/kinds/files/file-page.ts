import type { FileFamily } from '../../../../shared/items/content.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { formatSize } from '../../../../shared/wording/format-size.ts';
import type { Language } from '../../http/language.ts';
import { DATA_ASSETS, type DataViewInput, dataView, itemHead } from '../../pages/item-parts.ts';
import { type PageInput, page } from '../../pages/page.ts';
import { type Texts, textsIn } from '../../web/texts/texts.ts';
import { type ZipContents, zipList } from './zip-contents.ts';

export interface FilePageInput {
  readonly filename: string;
  readonly contentType: string;
  readonly family: FileFamily;
  readonly sizeBytes: number;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** The bytes, for the page itself. Asked for with `Range` by players. */
  readonly mediaUrl: string;
  readonly downloadUrl: string;
  /** The bytes, for a person who follows the link. */
  readonly rawUrl: string;
  readonly reportUrl: string;
  readonly views?: number;
  /** Where search engines are to find it, absolute; nothing for what is not for them. */
  readonly publicUrl?: string;
  /** A picture for links to it, absolute, where the file is none itself. */
  readonly previewUrl?: string;
  /** The beginning of a text with a structure, and where its source with line numbers is. */
  readonly data?: DataViewInput;
  /** The contents of a ZIP whose directory can be read. */
  readonly contents?: ZipContents;
  /** Whether the page is in a sandbox: browsers show no PDF inside one. */
  readonly sandboxed?: boolean;
  readonly language?: Language;
}

const SHOWN_BY_BROWSERS: ReadonlySet<FileFamily> = new Set(['image', 'audio', 'video', 'pdf']);

/**
 * A file for people: shown where a browser can show it, with what is known of it and what can be done with it. Its
 * policy has to let images, media or frames of `mediaUrl` in. Of texts only those with a structure are for this page: the others have a
 * rendering.
 */
export function filePage(input: FilePageInput): string {
  const { filename, contentType, sizeBytes, createdAt, expiresAt, views, language = 'en' } = input;
  const texts = textsIn(language);
  const { file, language: words } = texts;
  const type = typeName(contentType, texts);
  const head = {
    heading: html`<bdi>${filename}</bdi>`,
    actionsOf: file.file,
    createdAt,
    expiresAt,
    facts: [type, formatSize(sizeBytes, words), views === undefined ? null : words.views(views)],
    actions: actions(input, texts),
    reportUrl: input.reportUrl,
  };
  const body = html`<article class="file-view">
${itemHead(head, texts)}
${stage(input, texts)}
</article>`;
  const description = `${type}, ${formatSize(sizeBytes, words)}`;
  return page({
    title: `${filename} · Perch`,
    description,
    body,
    width: 'wide',
    language,
    ...assetsOf(input),
    ...publicAddress(input),
  });
}

function actions(
  { downloadUrl, rawUrl, family, data }: FilePageInput,
  { file, language: words }: Texts,
): SafeHtml[] {
  const download = html`<a class="button" href="${downloadUrl}">${words.download}</a>`;
  if (data !== undefined) {
    const source = html`<a class="button quiet" href="${data.wholeUrl}">${file.source}</a>`;
    // Browsers only download separated values.
    return data.format === 'json'
      ? [download, source, html`<a class="button quiet" href="${rawUrl}">${file.raw}</a>`]
      : [download, source];
  }
  // Browsers only download an archive or a font, which the button before does as well.
  if (!SHOWN_BY_BROWSERS.has(family)) return [download];
  return [download, html`<a class="button quiet" href="${rawUrl}">${file.original}</a>`];
}

/** Assets that the page loads beside the common script and style. */
function assetsOf({ data, contents, family }: FilePageInput): Pick<PageInput, 'script' | 'styles'> {
  if (data !== undefined) return DATA_ASSETS;
  if (family === 'image') return { script: 'picture', styles: ['viewers.css'] };
  return contents === undefined ? {} : { styles: ['viewers.css'] };
}

/** A picture is its own preview. */
function publicAddress(input: FilePageInput): { address?: string; imageUrl?: string } {
  const { publicUrl, previewUrl, family } = input;
  if (publicUrl === undefined) return {};
  const imageUrl = family === 'image' ? `${publicUrl}?raw=true` : previewUrl;
  return { address: publicUrl, ...(imageUrl === undefined ? {} : { imageUrl }) };
}

function stage(input: FilePageInput, texts: Texts): SafeHtml {
  const { family, filename, mediaUrl, rawUrl, data } = input;
  const { file } = texts;
  if (data !== undefined) return dataView(data, texts);
  if (input.contents !== undefined) return zipList(input.contents, texts);
  switch (family) {
    case 'image':
      return html`<a class="stage stage-image" href="${rawUrl}" aria-label="${file.openImage}"><img src="${mediaUrl}" alt="${filename}"></a>`;
    case 'video':
      return html`<div class="stage stage-video"><video src="${mediaUrl}" controls playsinline preload="metadata" aria-label="${filename}">${unplayable(input, texts)}</video></div>`;
    case 'audio':
      return html`<div class="stage stage-audio"><audio src="${mediaUrl}" controls preload="metadata" aria-label="${filename}">${unplayable(input, texts)}</audio></div>`;
    case 'pdf':
      if (input.sandboxed) return card(input, texts);
      return html`<div class="stage stage-pdf"><iframe src="${mediaUrl}" title="${filename}"></iframe></div>
<p class="hint">${file.noPdf.before}<a href="${rawUrl}">${file.noPdf.link}</a>${file.noPdf.after}</p>`;
    default:
      return card(input, texts);
  }
}

const card = ({ contentType, family }: FilePageInput, { file }: Texts): SafeHtml =>
  html`<div class="stage stage-card"><span class="file-mark" aria-hidden="true">${mark(contentType)}</span><p>${cardText(family, file)}</p></div>`;

const unplayable = ({ downloadUrl }: FilePageInput, { file }: Texts): SafeHtml =>
  html`${file.unplayable.before}<a href="${downloadUrl}">${file.unplayable.link}</a>${file.unplayable.after}`;

function cardText(family: FileFamily, file: Texts['file']): string {
  if (family === 'archive') return file.archive;
  return family === 'pdf' ? file.pdf : file.other;
}

/** Names of formats, by the types of their files. */
const FORMATS: Readonly<Record<string, string>> = {
  'image/png': 'PNG',
  'image/jpeg': 'JPEG',
  'image/gif': 'GIF',
  'image/webp': 'WebP',
  'image/avif': 'AVIF',
  'image/svg+xml': 'SVG',
  'audio/mpeg': 'MP3',
  'audio/wav': 'WAV',
  'audio/ogg': 'Ogg',
  'audio/flac': 'FLAC',
  'audio/mp4': 'MPEG-4',
  'audio/aac': 'AAC',
  'video/mp4': 'MP4',
  'video/webm': 'WebM',
  'video/quicktime': 'QuickTime',
  'video/ogg': 'Ogg',
  'font/woff': 'WOFF',
  'font/woff2': 'WOFF2',
  'font/ttf': 'TrueType',
  'font/otf': 'OpenType',
};

/** Names of texts that have a page of their own, by type. */
const TEXTS: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'text/csv': 'CSV',
  'text/tab-separated-values': 'TSV',
};

/** A type for people: `PNG image`. */
function typeName(contentType: string, { file: { types } }: Texts): string {
  if (contentType === 'image/x-icon') return types.icon;
  if (contentType === 'image/bmp') return types.bitmap;
  if (contentType === 'application/pdf') return types.pdf;
  if (contentType === 'application/zip') return types.zip;
  const text = TEXTS[contentType.split(';', 1)[0] ?? ''];
  if (text !== undefined) return text;
  const format = FORMATS[contentType];
  if (format === undefined) return contentType;
  if (contentType.startsWith('image/')) return types.image(format);
  if (contentType.startsWith('audio/')) return types.audio(format);
  return contentType.startsWith('video/') ? types.video(format) : types.font(format);
}

/** `application/zip` is ZIP, `font/woff2` WOFF2. */
const mark = (contentType: string): string => (contentType.split(/[/;]/)[1] ?? '').toUpperCase();
