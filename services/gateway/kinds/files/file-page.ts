import type { FileFamily } from '../../../../shared/items/content.ts';
import { dateTag, formatSize } from '../../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../../shared/pages/html.ts';
import { page } from '../../pages/page.ts';

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
  /** Whether the page is in a sandbox: browsers show no PDF inside one. */
  readonly sandboxed?: boolean;
}

/**
 * A file for people: shown where a browser can show it, with what is known of it and what can be done with it. Its
 * policy has to let images, media or frames of `mediaUrl` in. A text is not for this page: it has a rendering.
 */
export function filePage(input: FilePageInput): string {
  const { filename, contentType, sizeBytes, createdAt, expiresAt, views } = input;
  const viewed =
    views === undefined
      ? null
      : html`<li>${views === 1 ? '1 view' : `${views.toLocaleString('en')} views`}</li>`;
  const body = html`<article class="file-view">
<header class="item-head">
<h1><bdi>${filename}</bdi></h1>
<ul class="item-facts"><li>${typeName(contentType)}</li><li>${formatSize(sizeBytes)}</li>${viewed}<li>Added ${dateTag(createdAt)}</li><li>Expires ${dateTag(expiresAt)}</li></ul>
<nav class="item-actions" aria-label="File"><a class="button" href="${input.downloadUrl}">Download</a><a class="button quiet" href="${input.rawUrl}">Open original</a><a class="item-report" href="${input.reportUrl}">Report</a></nav>
</header>
${stage(input)}
</article>`;
  const description = `${typeName(contentType)}, ${formatSize(sizeBytes)}`;
  return page({
    ...{ title: `${filename} · Perch`, description, body, width: 'wide' },
    ...publicAddress(input),
  });
}

/** A picture is its own preview. */
function publicAddress(input: FilePageInput): { address?: string; imageUrl?: string } {
  const { publicUrl, previewUrl, family } = input;
  if (publicUrl === undefined) return {};
  const imageUrl = family === 'image' ? `${publicUrl}?raw=true` : previewUrl;
  return { address: publicUrl, ...(imageUrl === undefined ? {} : { imageUrl }) };
}

function stage(input: FilePageInput): SafeHtml {
  const { family, filename, mediaUrl, rawUrl } = input;
  switch (family) {
    case 'image':
      return html`<a class="stage stage-image" href="${rawUrl}" aria-label="Open the original image"><img src="${mediaUrl}" alt="${filename}"></a>`;
    case 'video':
      return html`<div class="stage stage-video"><video src="${mediaUrl}" controls playsinline preload="metadata" aria-label="${filename}">${unplayable(input)}</video></div>`;
    case 'audio':
      return html`<div class="stage stage-audio"><audio src="${mediaUrl}" controls preload="metadata" aria-label="${filename}">${unplayable(input)}</audio></div>`;
    case 'pdf':
      if (input.sandboxed) return card(input);
      return html`<div class="stage stage-pdf"><iframe src="${mediaUrl}" title="${filename}"></iframe></div>
<p class="hint">Nothing to see? Not every browser shows PDFs inside a page: <a href="${rawUrl}">open it on its own</a>.</p>`;
    default:
      return card(input);
  }
}

const card = ({ contentType, family }: FilePageInput): SafeHtml =>
  html`<div class="stage stage-card"><span class="file-mark" aria-hidden="true">${mark(contentType)}</span><p>${cardText(family)}</p></div>`;

const unplayable = ({ downloadUrl }: FilePageInput): SafeHtml =>
  html`Your browser cannot play this. <a href="${downloadUrl}">Download it</a> instead.`;

function cardText(family: FileFamily): string {
  if (family === 'archive')
    return 'An archive cannot be shown here. Download it, and open only what you trust.';
  if (family === 'pdf') return 'This PDF cannot be shown inside this page. Open the original to read it.';
  return 'There is nothing to show of this file. Download it to use it.';
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  'image/png': 'PNG image',
  'image/jpeg': 'JPEG image',
  'image/gif': 'GIF image',
  'image/webp': 'WebP image',
  'image/avif': 'AVIF image',
  'image/svg+xml': 'SVG image',
  'image/x-icon': 'Icon',
  'image/bmp': 'Bitmap image',
  'audio/mpeg': 'MP3 audio',
  'audio/wav': 'WAV audio',
  'audio/ogg': 'Ogg audio',
  'audio/flac': 'FLAC audio',
  'audio/mp4': 'MPEG-4 audio',
  'audio/aac': 'AAC audio',
  'video/mp4': 'MP4 video',
  'video/webm': 'WebM video',
  'video/quicktime': 'QuickTime video',
  'video/ogg': 'Ogg video',
  'application/pdf': 'PDF document',
  'application/zip': 'ZIP archive',
  'font/woff': 'WOFF font',
  'font/woff2': 'WOFF2 font',
  'font/ttf': 'TrueType font',
  'font/otf': 'OpenType font',
};

const typeName = (contentType: string): string => TYPE_NAMES[contentType] ?? contentType;

/** `application/zip` is ZIP, `font/woff2` WOFF2. */
const mark = (contentType: string): string => (contentType.split(/[/;]/)[1] ?? '').toUpperCase();
