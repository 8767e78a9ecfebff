/**
 * The content security policy of the documentation alone. Like that of the other pages it names the assets' path, as
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
