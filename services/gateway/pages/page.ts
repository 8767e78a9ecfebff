import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { publicMetaTags } from './public-meta.ts';
import { siteHeader } from './site-header.ts';

/**
 * A page of the service itself. All style and script comes from `/assets`, so that the strictest content security
 * policy fits: there is no inline style or script in any of these pages.
 */
export function page(input: {
  readonly title: string;
  readonly body: SafeHtml;
  /** `narrow` for a notice or a form on its own, `wide` for the home page. */
  readonly width: 'narrow' | 'wide';
  readonly description?: string;
  /** Names of modules under `/assets`. */
  readonly scripts?: readonly string[];
  /** Its one address, absolute, where search engines are to find it; without one they are asked to pass it over. */
  readonly address?: string;
  /** A picture for link previews, absolute. */
  readonly imageUrl?: string;
}): string {
  const { title, body, width, description = null, scripts = [], address, imageUrl } = input;
  const search =
    address === undefined
      ? html`<meta name="robots" content="noindex">\n${description ? html`<meta name="description" content="${description}">\n` : null}`
      : publicMetaTags({
          url: address,
          title: title.replace(/ · Perch$/, ''),
          description,
          ...(imageUrl === undefined ? {} : { imageUrl }),
        });
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${search}<title>${title}</title>
<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/perch.css">
${scripts.map((name) => html`<script type="module" src="/assets/${name}"></script>`)}
</head>
<body class="${width}">
${siteHeader()}
<main>
${body}
</main>
<footer class="site-footer"><a href="/gallery">Gallery</a><a href="/stats">Statistics</a><a href="/docs">API reference</a><a href="/llms.txt">For language models</a><a href="/report">Report abuse</a></footer>
</body>
</html>
`.toString();
}
