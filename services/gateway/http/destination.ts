import type { ItemRef } from '../../../shared/items/item.ts';
import { withoutSecrets } from './query-masking.ts';

/** Longest destination. Percent-encoded, it has to fit into the address that the password form is sent to. */
const MOST_CHARACTERS = 2000;

/** Visible ASCII but for what would end the path, and the backslash, which browsers take for a slash. */
const PATH = /^[\x21-\x22\x24-\x3e\x40-\x5b\x5d-\x7e]*$/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;
const QUERY = /^[\x21-\x22\x24-\x7e]*$/;

/**
 * Sanitizes the destination within an item that a reader asked for before the password form: a path below the item's own
 * and a query, percent-encoded, without secrets. `to` is untrusted input: invalid parts are dropped.
 */
export function destinationIn(to: string): string {
  const queryStart = to.indexOf('?');
  const path = queryStart < 0 ? to : to.slice(0, queryStart);
  if (path.length > MOST_CHARACTERS || !PATH.test(path) || DOT_SEGMENT.test(path)) return '';
  const query = queryStart < 0 ? '' : withoutSecrets(to.slice(queryStart + 1));
  const whole = `${path}?${query}`;
  return query === '' || whole.length > MOST_CHARACTERS || !QUERY.test(query) ? path : whole;
}

/** The address of a destination. */
export function destinationAddress({ namespace, id }: ItemRef, to: string): string {
  const destination = destinationIn(to);
  const separator = destination === '' || destination.startsWith('?') ? '' : '/';
  return `/${namespace}/${id}${separator}${destination}`;
}
