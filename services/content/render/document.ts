import { compactCss } from '../../../shared/pages/compact-css.ts';
import { DOCUMENT_END } from '../../../shared/pages/document-end.ts';
import { html, type SafeHtml, trusted } from '../../../shared/pages/html.ts';
import tokensCss from '../../../shared/pages/tokens.css' with { type: 'text' };
import codeCss from './code.css' with { type: 'text' };
import markdownCss from './markdown.css' with { type: 'text' };
import textCss from './text.css' with { type: 'text' };

export interface RenderInput {
  readonly format: 'MARKDOWN' | 'TEXT';
  /** Language of a TEXT page as a highlight.js name or alias (`yaml`, `toml`, …), or null for plain text. */
  readonly language: string | null;
  readonly content: string;
  readonly title: string | null;
  /** The title of a page that neither has nor was given one. */
  readonly filename: string | null;
}

export interface RenderedPage {
  /** A complete document without scripts and without external stylesheets. */
  readonly html: string;
  /** The given title, else the first heading of a markdown page, else the filename, else null. */
  readonly title: string | null;
}

/** Most bytes of a rendered page: a gateway keeps up to 14 MB of one in memory, and would dress a longer one anew for each reader. */
const MAX_PAGE_BYTES = 12 * 1_048_576;

/** @throws RangeError for too long a page: links that a text defines once and uses often, say, could make hundreds of MB */
export function assertShortEnough(page: string, { content }: Pick<RenderInput, 'content'>): void {
  const isLong = page.length > 8 * content.length + 4_000_000;
  if (isLong || Buffer.byteLength(page) > MAX_PAGE_BYTES) throw new RangeError('the page would be too long');
}

const STYLES = {
  MARKDOWN: compactCss(tokensCss + codeCss + markdownCss),
  TEXT: compactCss(tokensCss + codeCss + textCss),
} as const;

/**
 * The complete document around rendered content: no scripts, no external stylesheets, so that it works in an
 * opaque origin and as a saved file. `data-theme` on the root element overrides the reader's preference.
 */
export function renderDocument(input: {
  readonly format: 'MARKDOWN' | 'TEXT';
  readonly title: string | null;
  readonly body: SafeHtml;
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${input.title?.trim() || 'Untitled'}</title>
<style>${trusted(STYLES[input.format])}</style>
</head>
<body>
${input.body}
</body>
${trusted(DOCUMENT_END)}`.toString();
}
