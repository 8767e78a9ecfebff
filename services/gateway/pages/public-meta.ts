import { html, type SafeHtml } from '../../../shared/pages/html.ts';

/** What search engines and link previews are told of a public page. */
export interface PublicMeta {
  /** Its one address, absolute. */
  readonly url: string;
  readonly title: string;
  readonly description: string | null;
  /** A picture to show with a link, absolute. */
  readonly imageUrl?: string;
}

const SITE_NAME = 'Perch';

/**
 * The tags for a page's head: its address, its description, and those of the Open Graph protocol (ogp.me). `own` names
 * those that it brings itself: `canonical`, `description`, `og:title` and so on.
 */
export function publicMetaTags(
  { url, title, description, imageUrl }: PublicMeta,
  own: ReadonlySet<string> = new Set(),
): SafeHtml {
  const properties: Array<[string, string | null | undefined]> = [
    ['og:title', title],
    ['og:type', 'website'],
    // Of a page with an address elsewhere, ours would contradict it.
    ['og:url', own.has('canonical') ? null : url],
    ['og:site_name', SITE_NAME],
    ['og:description', description],
    ['og:image', imageUrl],
  ];
  const missing = properties.filter(([name, content]) => Boolean(content) && !own.has(name));
  return html`${own.has('canonical') ? null : html`<link rel="canonical" href="${url}">\n`}${
    description && !own.has('description') ? html`<meta name="description" content="${description}">\n` : null
  }${missing.map(([name, content]) => html`<meta property="${name}" content="${content}">\n`)}`;
}
