import { html, type SafeHtml } from '../../../shared/pages/html.ts';

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
  readonly indexed?: boolean;
}): string {
  const { title, body, width, description, scripts = [], indexed = false } = input;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${indexed ? null : html`<meta name="robots" content="noindex">`}
${description ? html`<meta name="description" content="${description}">` : null}
<title>${title}</title>
<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/perch.css">
${scripts.map((name) => html`<script type="module" src="/assets/${name}"></script>`)}
</head>
<body class="${width}">
<header class="site-header"><a class="brand" href="/"><img src="/assets/favicon.svg" alt="" width="26" height="26">Perch</a></header>
<main>
${body}
</main>
<footer class="site-footer"><a href="/docs">API reference</a><a href="/report">Report abuse</a></footer>
</body>
</html>
`.toString();
}
