import Negotiator from 'negotiator';

/** Text is UTF-8, whatever charset is asked for. Nothing else about a type is passed over. */
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*(?:"[^"]*"|[^;,]*)/gi;

/** The one of the types that a client prefers (RFC 9110, section 12.5.1); the first when it states no preference. */
export function preferredType<T extends string>(request: Request, types: readonly [T, ...T[]]): T {
  const accept = request.headers.get('accept');
  if (accept === null || accept === '*/*') return types[0];
  const plain = accept.replace(CHARSET, '');
  const [best] = new Negotiator({ headers: { accept: plain } }).mediaTypes([...types]);
  return types.find((type) => type === best) ?? types[0];
}

const PAGE_TYPES = new Set(['text/html', 'application/xhtml+xml']);

/** Whether a browser asks for a page to show: it prefers HTML to every other type. */
export function prefersHtml({ headers }: Request): boolean {
  const accept = headers.get('accept') ?? '*/*';
  const [best = ''] = new Negotiator({ headers: { accept } }).mediaTypes();
  return PAGE_TYPES.has(best.toLowerCase());
}

/** Whether a person opens this address in a tab, as opposed to a page that embeds it. */
export function isPageNavigation(request: Request): boolean {
  const destination = request.headers.get('sec-fetch-dest');
  return (destination === null || destination === 'document') && prefersHtml(request);
}

/** Destinations of which a browser makes a document: a tab, or a frame of another page. */
const DOCUMENTS = new Set(['document', 'iframe', 'frame', 'embed', 'object']);

/** Whether a browser shows the answer as a document, so that relative links in it have to work. */
export function isShownAsDocument(request: Request): boolean {
  const destination = request.headers.get('sec-fetch-dest');
  return (destination === null || DOCUMENTS.has(destination)) && prefersHtml(request);
}

/**
 * Whether the browser sends Fetch Metadata: not every one does, and none over plain http. Where it is missing, what a
 * page fetches cannot be told from what a person opens, so no page there may have an origin to fetch with.
 */
export const tellsDestination = ({ headers }: Request): boolean => headers.has('sec-fetch-dest');
