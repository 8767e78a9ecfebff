import type { ItemRef, Perch } from 'perch-client';
import { withTexts } from './answers.ts';
import type { Call } from './call.ts';
import { CommandError, EXIT } from './failures.ts';
import { isGone } from './publishing.ts';
import { findRecord } from './records.ts';
import { withoutPassword } from './without-password.ts';

/** Kinds by the names that the service has for them. */
export type ItemKind = 'html' | 'json' | 'kv' | 'file' | 'site';

/** An item, or a short code that the server has to be asked about. */
type Address = { item: ItemRef; rest: string | null } | { code: string };

/**
 * Reads `namespace/id`, `namespace/id/rest`, an `id` in `public`, a whole URL, or a short one. A URL has to be on the
 * server; another server's says so with `--url`.
 */
function parseAddress(text: string, server: string): Address {
  const isUrl = /^https?:\/\//i.test(text);
  refuseDots(isUrl ? partsOfUrl(text) : text.split('/'), text);
  const path = isUrl ? pathOf(text, server) : text.replace(/^\//, '');
  const [first = '', second, ...rest] = path.split('/').map(decoded);
  if (first === '')
    throw new CommandError(`"${withoutPassword(text)}" is no address. Give namespace/id, or the item's URL.`);
  if (second === undefined || second === '') return { item: { namespace: 'public', id: first }, rest: null };
  if (first === 's' && rest.length === 0) return { code: second };
  const inside = rest.join('/');
  return { item: { namespace: first, id: second }, rest: inside === '' ? null : inside };
}

/** Parts of a URL's path as they were given: `URL` leaves dots out, and does not see white space or which slash it is. */
const partsOfUrl = (text: string): string[] =>
  text
    .replace(/[\t\n\r]/g, '')
    .trim()
    .replace(/[?#].*$/, '')
    .split(/[/\\]/);

/** @throws CommandError for a part that URLs leave out: `store/.` would be the store with all its keys */
function refuseDots(parts: string[], text: string): void {
  if (parts.some((part) => /^\.{1,2}$/.test(decoded(part))))
    throw new CommandError(
      `"${withoutPassword(text)}" names nothing: no part of an address is "." or "..", and no such path was published.`,
    );
}

/** @throws CommandError for an empty part, such as of a variable that is not set: a store would be meant instead of its key */
export function refuseEmptyParts(text: string): void {
  const parts = /^https?:\/\//i.test(text) ? partsOfUrl(text).slice(3) : text.replace(/^\//, '').split('/');
  if (parts.includes(''))
    throw new CommandError(
      `"${withoutPassword(text)}" has an empty part, as a variable that is not set would be. Leave its slash out if what is around it is meant.`,
    );
}

/** The server that a URL is on, with the user and password of the URL; `null` of what is no URL. */
export const serverOf = (text: string): string | null =>
  /^https?:\/\//i.test(text) ? new URL('/', urlOf(text)).href : null;

/** @throws CommandError for what is no URL, such as one without a host */
function urlOf(text: string): URL {
  if (URL.canParse(text)) return new URL(text);
  throw new CommandError(`"${withoutPassword(text)}" is no URL.`);
}

/** The item of an address, after a short code was looked up. */
export async function resolveAddress(
  text: string,
  perch: Perch,
): Promise<{ item: ItemRef; rest: string | null }> {
  const address = parseAddress(text, perch.url);
  if (!('code' in address)) return address;
  const found = await perch.resolveCode(address.code).catch((error: unknown) => {
    if (!isGone(error)) throw error;
    throw new CommandError(
      `"${withoutPassword(text)}" leads nowhere: it has expired, or is mistyped. perch ls lists what is yours.`,
      EXIT.notFound,
    );
  });
  const target = parseAddress(found, perch.url);
  if ('code' in target) throw new CommandError(`"${withoutPassword(text)}" leads to another short address.`);
  return target;
}

function pathOf(text: string, server: string): string {
  const { origin, pathname } = urlOf(text);
  const base = new URL(server);
  const prefix = base.pathname.replace(/\/+$/, '');
  const isHere = origin === base.origin && pathname.startsWith(`${prefix}/`);
  return (isHere ? pathname.slice(prefix.length) : pathname).replace(/^\//, '');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

interface FoundItem {
  item: ItemRef;
  kind: ItemKind;
  /** A key of a store, or a file of a site. */
  rest: string | null;
  url: string;
  /** The path that was given instead of an address. */
  path: string | null;
}

/** The item of an address, or of a path that was published. */
export async function findItem(
  call: Call,
  perch: Perch,
  address: string,
  ownerToken: string | undefined,
): Promise<FoundItem> {
  const record = await findRecord(address, perch.url);
  if (record !== null) {
    const { kind, namespace, id, url } = record;
    return { item: { namespace, id }, kind, rest: null, url, path: address };
  }
  const { item, rest } = await resolveAddress(address, perch);
  const found = await perch.checkOwner(item, { ownerToken, password: call.text('password') });
  const { type } = withTexts(found, 'type');
  const url = `${perch.url}/${encodeURIComponent(item.namespace)}/${encodeURIComponent(item.id)}`;
  return { item, kind: type, rest, url, path: null };
}

/**
 * Refuses a key of a store or a file of a site where the whole item would be meant.
 * @param why goes on with the sentence, about the item
 */
export function refusePart({ rest, url }: FoundItem, address: string, why: string): void {
  if (rest !== null)
    throw new CommandError(`${withoutPassword(address)} is a part of ${url}, which ${why}.`, EXIT.refused);
}
