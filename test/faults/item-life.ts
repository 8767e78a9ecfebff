import {
  type Client,
  codePath,
  jsonOf,
  ownedBy,
  type Published,
  shortPath,
} from '../acceptance/support/client.ts';
import { createOf, itemPath, type KindUnderTest, readContent, readsOf } from '../acceptance/support/kinds.ts';
import { putKey, removeKey } from '../acceptance/support/kv-client.ts';

export interface LifeOptions {
  kind: KindUnderTest;
  namespace: string;
  password: string;
  /** In days. */
  ttl: number;
}

const openWith = (password: string) => ({ headers: { 'X-Password': password } });

/** Creates an item and does with it all that leaves something in some store. */
export async function live(clients: Client[], options: LifeOptions): Promise<Published> {
  const { kind, namespace, password, ttl } = options;
  const [client, other] = [clients[0], clients.at(-1)];
  if (client === undefined || other === undefined) throw new Error('there is no gateway');
  const text = [kind.name, namespace, password, ttl].join('-');
  const headers = { ...openWith(password).headers, 'Idempotency-Key': `the-only-${text}` };
  const create = () => createOf(client, kind, text, { query: { ns: namespace, ttl }, headers });
  const item = await jsonOf<Published>(await insist(create), 201);
  // The address is taken: what was stored for this one goes.
  await createOf(other, kind, `${text} again`, { query: { ns: namespace, id: item.id, ttl } });
  const open = openWith(password);
  for (const path of readsOf(kind, item)) for (const one of clients) await one.request(path, open);
  if (password !== '') await readContent(client, kind, item, openWith('wrong'));
  await other.request(codePath(item), { redirect: 'follow' });
  if (kind.name === 'kv') await useKeys(clients, item);
  if (kind.change !== null) await change(clients, kind, item);
  await readContent(other, kind, item, open);
  return item;
}

/** Sends a request until it is taken: while a disk stalls it is refused, or outlives what was reserved for it. */
async function insist(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const response = await send();
    if (![503, 504].includes(response.status)) return response;
    await Bun.sleep(1000 * Number(response.headers.get('Retry-After')));
  }
}

async function change(clients: Client[], kind: KindUnderTest, item: Published): Promise<void> {
  if (kind.change === null) return;
  const { at, options } = kind.change;
  const path = `${itemPath(kind, item)}${at}`;
  for (const client of clients) {
    const headers = { ...ownedBy(item).headers, ...options.headers };
    await client.request(path, { method: 'PUT', ...options, headers });
    // The refused create has stored its content before.
    if (kind.name !== 'site' && kind.name !== 'html')
      await client.request(path, {
        method: 'PUT',
        ...options,
        headers: { ...headers, 'If-Match': '"other"' },
      });
  }
}

const KEYS = 30;

async function useKeys(clients: Client[], store: Published): Promise<void> {
  const keys = Array.from({ length: KEYS }, (_, n) => `key-${n}`);
  const gateway = (n: number): Client => clients[n % clients.length] as Client;
  await Promise.all(
    keys.map((key, n) => putKey(gateway(n), store, key, 'x'.repeat(n % 5 === 0 ? 70_000 : n))),
  );
  await Promise.all(keys.slice(10).map((key, n) => putKey(gateway(n), store, key, n)));
  await Promise.all(keys.slice(20).map((key, n) => removeKey(gateway(n), store, key)));
  await putKey(gateway(0), store, keys.at(-1) ?? '', 'back');
  await Promise.all(keys.map((key, n) => gateway(n).request(`${shortPath(store)}/${key}`)));
}

/** Removes an item while others read it: a view may be counted, or taken back, when it is gone. */
export async function removeUnderReads(
  clients: Client[],
  { kind, password }: LifeOptions,
  item: Published,
): Promise<void> {
  const open = openWith(password);
  const reads = (): Array<Promise<Response>> =>
    clients.flatMap((client) => [
      readContent(client, kind, item, open),
      readContent(client, kind, item, { headers: { ...open.headers, Range: 'bytes=0-0' } }),
      client.request(`${shortPath(item)}/never-was`, open),
    ]);
  const [client] = clients;
  if (client === undefined) throw new Error('there is no gateway');
  const remove = () => client.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
  await Promise.all([...reads(), ...reads(), insist(remove), ...reads()]);
  await Promise.all(reads());
}

/** Reads an item until it is gone, and a little longer. */
export async function readToTheEnd(
  clients: Client[],
  { kind, password }: LifeOptions,
  item: Published,
): Promise<void> {
  for (let left = 3; left > 0; ) {
    const answers = await Promise.all(
      clients.map((client) => readContent(client, kind, item, openWith(password))),
    );
    if (answers.every(({ status }) => status === 404 || status === 410)) left -= 1;
    await Bun.sleep(100);
  }
}
