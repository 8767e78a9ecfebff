import { html } from '../../../../shared/pages/html.ts';
import { siteHeader } from '../../pages/site-header.ts';

/**
 * The page at /docs, with Swagger UI. Its style sheet replaces that of the other pages, which conflicts with Swagger
 * UI's. The deferred scripts run in document order, once the page is parsed.
 */
export const docsPage = (): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="The whole interface of Perch: every address, parameter, header, body and error, to read and to try.">
<title>API · Perch</title>
<link rel="icon" href="/assets/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/swagger-ui.css">
<link rel="stylesheet" href="/assets/docs.css">
<script defer src="/assets/swagger-ui-bundle.js"></script>
<script defer src="/assets/docs.js"></script>
</head>
<body>
${siteHeader()}
<main id="api"><p class="loading">Loading the documentation. It needs JavaScript; without it, there is the <a href="/docs/json">OpenAPI document</a>.</p></main>
</body>
</html>
`.toString();

/**
 * The content security policy of the documentation page alone. Like that of the other pages it names the assets' path, as
 * hosted content is on this host, too. Swagger UI sets `style` attributes, has its icons in `data:` addresses, shows
 * pictures it got as answers from `blob:` ones, and sends what is tried to BASE_URL, by whatever name the visitor came.
 */
export function docsPagePolicy(host: string | null, baseUrl: string): string {
  const assets = /^[\w.:[\]-]{1,255}$/.test(host ?? '') ? `${host}/assets/` : "'none'";
  return [
    "default-src 'none'",
    `script-src ${assets}`,
    `style-src ${assets}`,
    "style-src-attr 'unsafe-inline'",
    `img-src ${assets} data: blob:`,
    `connect-src 'self' ${new URL(baseUrl).origin}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
