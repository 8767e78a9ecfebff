/**
 * A secret in the address behind the `#`, which no server gets to see. It is taken out of the address at once, so that it
 * is not in the history, a bookmark or a picture of the screen. `null` when there is none of that name.
 */
export function takeFromFragment(name: string): string | null {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value === null) return null;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return value;
}

/** The address of a page of this server with a secret behind the `#`. */
export const withFragment = (path: string, name: string, value: string): string =>
  `${location.origin}${path}#${name}=${encodeURIComponent(value)}`;
