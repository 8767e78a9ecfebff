import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import type { Language } from '../http/language.ts';
import { assetAddress, scriptAddress } from '../web/assets.ts';
import { publicMetaTags } from './public-meta.ts';
import { siteFooter } from './site-footer.ts';
import { MAIN_ID, siteHeader } from './site-header.ts';

export interface PageInput {
  readonly title: string;
  readonly body: SafeHtml;
  /** `narrow` for a notice or a form on its own, `wide` for the home page, `full` where two things stand side by side. */
  readonly width: 'narrow' | 'wide' | 'full';
  /** Of the frame and, so far as it has texts in it, of the body. */
  readonly language?: Language;
  readonly description?: string;
  /** The script of the page: the name of a file in `web/browser/pages/`. */
  readonly script?: string;
  /** Style sheets of this page beside the common one, by their names in `web/assets.ts`. */
  readonly styles?: readonly string[];
  /** Its path where the header leads to it, for the link that stands for this page. */
  readonly current?: string;
  /** Its one address, absolute, where search engines are to find it; without one they are asked to pass it over. */
  readonly address?: string;
  /** A picture for link previews, absolute. */
  readonly imageUrl?: string;
}

/**
 * A page of the service itself. All style and script comes from `/assets`, so that the strictest content security
 * policy fits: there is no inline style or script in any of these pages.
 */
export function page(input: PageInput): string {
  const { title, body, width, language = 'en', script, styles = [], current } = input;
  const scripts = ['frame', ...(script === undefined ? [] : [script])];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${searchTags(input)}<title>${title}</title>
<link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
${['perch.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assetAddress(name)}">\n`)}${scripts.map((name) => html`<script type="module" src="${scriptAddress(name, language)}"></script>\n`)}</head>
<body class="${width === 'full' ? 'wide full' : width}">
${siteHeader(language, current)}
<main id="${MAIN_ID}" tabindex="-1">
${body}
</main>
${siteFooter(language)}
</body>
</html>
`.toString();
}

function searchTags({ address, title, description, imageUrl }: PageInput): SafeHtml {
  if (address === undefined)
    return html`<meta name="robots" content="noindex">\n${description ? html`<meta name="description" content="${description}">\n` : null}`;
  return publicMetaTags({
    url: address,
    title: title.replace(/ · Perch$/, ''),
    description: description ?? null,
    ...(imageUrl === undefined ? {} : { imageUrl }),
  });
}
