import type { ItemRef } from '../../../shared/items/item.ts';
import type { ValidationIssues } from '../http/validation-issues.ts';

export const NAMESPACE = /^[a-z0-9-]{3,32}$/;
export const ITEM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names that the service keeps for itself (specification 2.3). */
export const RESERVED_NAMESPACES: ReadonlySet<string> = new Set([
  ...['api', 'docs', 'assets', 'gallery', 'stats', 'admin', 'mcp', 'health', 'metrics', 'sitemap', 'robots'],
  ...['swagger', 'static', 'preview', 'preview-html', 'report', 'reports', 'mine', 'manage', 'edit'],
]);

export function parseNamespace(value: unknown, issues: ValidationIssues): string {
  if (typeof value !== 'string' || !NAMESPACE.test(value)) {
    issues.add('ns', 'has 3 to 32 characters out of a-z, 0-9 and the hyphen.', 'NAMESPACE_INVALID');
    return '';
  }
  if (RESERVED_NAMESPACES.has(value)) {
    issues.add(
      'ns',
      `"${value}" is reserved for the service. Choose another, or leave it out.`,
      'NAMESPACE_RESERVED',
    );
  }
  return value;
}

export function parseId(value: unknown, issues: ValidationIssues): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && ITEM_ID.test(value)) return value;
  issues.add(
    'id',
    'has 1 to 64 characters out of A-Z, a-z, 0-9, dot, underscore and hyphen, and starts with a letter or digit.',
    'ID_INVALID',
  );
  return null;
}

/** An address below the service's root that names an item, and optionally a part of it. */
export interface ShortUrl extends ItemRef {
  /** The rest of the path behind the item's own, decoded as far as it is encoded; `null` when there is none. */
  sub: string | null;
  /** The ticket in front of `sub`, which opens a protected item (see `UnlockCookies`); `null` without one. */
  ticket: string | null;
}

/** The id of an item, or of its QR code. */
const LAST_SEGMENT = new RegExp(`${ITEM_ID.source.slice(0, -1)}(?:\\.qr\\.(?:svg|png))?$`);

/** `~<ticket>`: in the path, so that a page's relative links carry it on. */
const TICKET = String.raw`^~(\d{1,12}\.[\w-]{43})`;
const TICKET_FOLDER = new RegExp(`${TICKET}/`);
const TICKET_SEGMENT = new RegExp(`${TICKET}(?:/|$)`);

/** Whether a folder of a site could not be reached, as its name is taken for a ticket. */
export const isLikeTicket = (folder: string): boolean => TICKET_SEGMENT.test(folder);

/** The rest of a path behind the item's own, without the ticket in front of it. */
export const withoutTicket = (rest: string): string => rest.replace(TICKET_SEGMENT, '');

/** The item that a path names, or `null` when the path is not a short URL. */
export function parseShortUrl(path: string): ShortUrl | null {
  const idStart = path.indexOf('/', 1) + 1;
  if (idStart === 0) return null;
  const namespace = segmentOf(path.slice(1, idStart - 1), NAMESPACE);
  if (namespace === null || RESERVED_NAMESPACES.has(namespace)) return null;
  const idEnd = path.indexOf('/', idStart);
  const id =
    idEnd < 0 ? segmentOf(path.slice(idStart), LAST_SEGMENT) : segmentOf(path.slice(idStart, idEnd), ITEM_ID);
  if (id === null) return null;
  if (idEnd < 0) return { namespace, id, sub: null, ticket: null };
  const rest = path.slice(idEnd + 1);
  const [front = '', ticket = null] = TICKET_FOLDER.exec(rest) ?? [];
  return { namespace, id, sub: decodedPart(rest.slice(front.length)), ticket };
}

/** A path segment, percent-decoded if need be; `null` when it does not match `form`. */
function segmentOf(encoded: string, form: RegExp): string | null {
  if (form.test(encoded)) return encoded;
  const text = encoded.length > 300 ? null : decoded(encoded);
  return text !== null && form.test(text) ? text : null;
}

/** Decodes the name of a key or a file. A percent sign that encodes nothing is kept, as browsers leave it in links. */
export function decodedPart(text: string): string {
  return decoded(text) ?? decoded(text.replace(/%(?![\da-f]{2})/gi, '%25')) ?? text;
}

/** Percent-decodes a text; `null` when its encoding is malformed. */
function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Where the picture of an item for link previews is (specification 19.4). */
export const previewUrl = (baseUrl: string, { namespace, id }: ItemRef): string =>
  `${baseUrl}/preview/${namespace}/${id}.png`;
