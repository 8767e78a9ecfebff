import { html, type SafeHtml } from '../../../shared/pages/html.ts';

/** The facts of a public page for search engines and link previews. */
export interface PublicMeta {
  /**
   * The page's canonical address. A path where its host is not known: such a link leads to whichever host the page was read
   * from (RFC 6596), while `og:url` has to be absolute. `null`: neither is known.
   */
  readonly url: string | null;
  readonly title: string;
  readonly description: string | null;
  /** A picture to show with a link, absolute. */
  readonly imageUrl?: string | undefined;
}

const SITE_NAME = 'Perch';

/**
 * The tags for a page's head: its address, its description, and those of the Open Graph protocol (ogp.me). `own` names
 * the tags that the page has itself: `canonical`, `description`, `og:title` and so on.
 */
export function publicMetaTags(
  { url, title, description, imageUrl }: PublicMeta,
  own: ReadonlySet<string> = new Set(),
): SafeHtml {
  const properties: Array<[string, string | null | undefined]> = [
    ['og:title', title],
    ['og:type', 'website'],
    // Our address would contradict a canonical address that the page has itself.
    ['og:url', own.has('canonical') || url?.startsWith('/') ? null : url],
    ['og:site_name', SITE_NAME],
    ['og:description', description],
    ['og:image', imageUrl],
  ];
  const missing = properties.filter(([name, content]) => Boolean(content) && !own.has(name));
  return html`${url === null || own.has('canonical') ? null : html`<link rel="canonical" href="${url}">\n`}${
    description && !own.has('description') ? html`<meta name="description" content="${description}">\n` : null
  }${missing.map(([name, content]) => html`<meta property="${name}" content="${content}">\n`)}${
    imageUrl !== undefined && !own.has('twitter:card')
      ? html`<meta name="twitter:card" content="summary_large_image">\n`
      : null
  }`;
}
