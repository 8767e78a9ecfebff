/**
 * The owner tokens that this browser keeps, in IndexedDB: readable by pages of this origin alone, which hosted pages never
 * have. They leave it only as the header of a request to this server, or in a link that their owner copies.
 */

/** A kept owner token. */
export interface KeptToken {
  readonly token: string;
  /** When it was kept here, in ms since the epoch. */
  readonly keptAt: number;
  /**
   * Whether what is published from this browser gets it. True of one token at most, and never of one that came by a link:
   * else whoever made the link would own what is published next.
   */
  readonly publishes: boolean;
}

const DATABASE = 'perch';
const STORE = 'tokens';

/** All of them, oldest first. @throws DOMException where the browser keeps nothing for this page */
export async function keptTokens(): Promise<KeptToken[]> {
  const tokens = await inStore('readonly', (store) => store.getAll() as IDBRequest<KeptToken[]>);
  return tokens.toSorted((one, other) => one.keptAt - other.keptAt);
}

/** The token for what is published next; `null` when there is none yet, or nothing can be kept here. */
export async function publishingToken(): Promise<string | null> {
  const tokens = await keptTokens().catch(() => []);
  return tokens.find(({ publishes }) => publishes)?.token ?? null;
}

/** Keeps the token of what was just published here. Resolves to whether it is kept. */
export async function keepPublished(token: string): Promise<boolean> {
  try {
    const tokens = await keptTokens();
    if (tokens.some((kept) => kept.token === token)) return true;
    const publishes = !tokens.some((kept) => kept.publishes);
    await put([{ token, keptAt: Date.now(), publishes }]);
    return true;
  } catch {
    return false;
  }
}

/** Keeps tokens that came from elsewhere. Resolves to how many of them are new. */
export async function addTokens(tokens: readonly string[]): Promise<number> {
  const known = new Set((await keptTokens()).map(({ token }) => token));
  const added = [...new Set(tokens)].filter((token) => !known.has(token));
  const now = Date.now();
  await put(added.map((token, n) => ({ token, keptAt: now + n, publishes: false })));
  return added.length;
}

/** Lets what is published from now on have one of the kept tokens. */
export async function publishWith(token: string): Promise<void> {
  const tokens = await keptTokens();
  await put(tokens.map((kept) => ({ ...kept, publishes: kept.token === token })));
}

export async function forgetToken(token: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(token));
}

const put = (tokens: readonly KeptToken[]): Promise<unknown> =>
  inStore('readwrite', (store) => {
    let last: IDBRequest = store.count();
    for (const token of tokens) last = store.put(token);
    return last;
  });

/** Does something in one transaction, and resolves to its result once that has been committed. */
async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(STORE, { keyPath: 'token' });
    };
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

/**
 * A secret in the address behind the `#`, which no server gets to see. Taken out of the address at once, so that it
 * is not in the history, a bookmark or a picture of the screen. `null` when there is none of that name.
 */
export function takeFromFragment(name: string): string | null {
  const value = new URLSearchParams(location.hash.slice(1)).get(name);
  if (value === null) return null;
  history.replaceState(history.state, '', `${location.pathname}${location.search}`);
  return value;
}

/** Gives a secret that could not be used back to the address that it was taken from. */
export const putInFragment = (name: string, value: string): void =>
  history.replaceState(
    history.state,
    '',
    withFragment(`${location.pathname}${location.search}`, name, value),
  );

/** The address of a page of this server with a secret behind the `#`. */
export const withFragment = (path: string, name: string, value: string): string =>
  `${location.origin}${path}#${name}=${encodeURIComponent(value)}`;
