import { html } from '../../../../shared/pages/html.ts';
import type { Language } from '../../http/language.ts';
import { MAIN_ID, siteHeader } from '../../pages/page.ts';
import { assetAddress, scriptAddress } from '../../web/assets.ts';
import { textsIn } from '../../web/texts/texts.ts';

/**
 * The page at /docs, with Swagger UI. Its style sheet replaces that of the other pages, which conflicts with Swagger
 * UI's. Deferred scripts and modules run in document order, once the page is parsed.
 */
export function docsPage(language: Language = 'en'): string {
  const { docs } = textsIn(language);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${docs.description}">
<title>API · Perch</title>
<link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/swagger-ui.css">
<link rel="stylesheet" href="${assetAddress('docs.css')}">
<script defer src="/assets/swagger-ui-bundle.js"></script>
<script type="module" src="${scriptAddress('docs', language)}"></script>
</head>
<body>
${siteHeader(language, '/docs')}
<main id="${MAIN_ID}" tabindex="-1"><div id="api"><p class="loading">${docs.loading.before}<a href="/docs/json">${docs.loading.link}</a>${docs.loading.after}</p></div></main>
</body>
</html>
`.toString();
}

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
