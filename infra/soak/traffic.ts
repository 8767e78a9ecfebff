import type { Random } from '../random.ts';
import type { SoakClient } from './soak-client.ts';

/** The items that all clients read and change. */
const SHARED = { pages: 50, documents: 20, files: 20, stores: 10, keys: 20, sites: 4, filesOfSite: 10 };

/** The most pages that a client keeps of its own; then the oldest is removed, so that their number does not grow during the soak. */
const OWN_PAGES = 5;

const NAMESPACE = 'soak';
const JSON_BODY = { 'Content-Type': 'application/json' };
const HTML = { 'Content-Type': 'text/html' };

const text = (random: Random, words: number): string =>
  Array.from({ length: words }, () => random.between(0, 2 ** 32 - 1).toString(36)).join(' ');

/** Stands in the content of an item, so that a reader knows it: `[page-3]`. */
const markOf = (id: string): string => `[${id}]`;

export const page = (random: Random, id = ''): string =>
  `<!doctype html><title>Soak</title><p>${markOf(id)} ${text(random, random.between(100, 2_000))}`;

const value = (random: Random, id: string): string =>
  JSON.stringify({ value: `${markOf(id)} ${text(random, random.between(1, 200))}` });

export function siteForm(random: Random, id = ''): FormData {
  const form = new FormData();
  for (let n = 0; n < SHARED.filesOfSite; n++) {
    form.append('files', new Blob([page(random, id)]), n === 0 ? 'index.html' : `page-${n}.html`);
  }
  return form;
}

const target = (id: string): string => `?ns=${NAMESPACE}&id=${id}`;

/** Publishes what all clients share. @throws Error when that fails */
export async function publishShared(client: SoakClient, random: Random): Promise<void> {
  const must = async (
    what: string,
    path: string,
    headers: Record<string, string>,
    body: string | FormData,
  ) => {
    const made = await client.ask(what, { path, method: 'POST', headers, body, wants: 201 });
    if (made === null)
      throw new Error(`the soak could not begin: ${[...client.outcomes.byKind.keys()].join()}`);
  };
  for (let n = 0; n < SHARED.pages; n++)
    await must('page', `/api/html${target(`page-${n}`)}`, HTML, page(random, `page-${n}`));
  for (let n = 0; n < SHARED.documents; n++)
    await must('document', `/api/json${target(`document-${n}`)}`, JSON_BODY, value(random, `document-${n}`));
  for (let n = 0; n < SHARED.files; n++) {
    const form = new FormData();
    form.append('file', new Blob([`${markOf(`file-${n}`)} ${text(random, 8_000)}`]), `notes-${n}.txt`);
    await must('file', `/api/files${target(`file-${n}`)}`, {}, form);
  }
  for (let n = 0; n < SHARED.stores; n++) {
    const first = JSON.stringify({ key: 'first', value: markOf(`store-${n}`) });
    await must('store', `/api/kv${target(`store-${n}`)}`, JSON_BODY, first);
  }
  for (let n = 0; n < SHARED.sites; n++)
    await must('site', `/api/sites${target(`site-${n}`)}`, {}, siteForm(random, `site-${n}`));
}

/** One client's next request, of a kind that chance picks: most of them read. */
export function createVisitor(client: SoakClient, random: Random): () => Promise<void> {
  const own: string[] = [];
  const any = (kind: 'page' | 'document' | 'file' | 'store' | 'site', count: number): string =>
    `${kind}-${random.between(0, count - 1)}`;
  const read = async (what: string, id: string, rest = ''): Promise<void> => {
    await client.ask(`read ${what}`, { path: `/${NAMESPACE}/${id}${rest}`, has: markOf(id) });
  };

  const publish = async (): Promise<void> => {
    const made = await client.ask('create page', {
      path: '/api/html?tags=soak&title=Soak',
      method: 'POST',
      wants: 201,
      headers: HTML,
      body: page(random),
    });
    if (made !== null) own.push((JSON.parse(made) as { id: string }).id);
    const oldest = own.length > OWN_PAGES ? own.shift() : undefined;
    if (oldest !== undefined)
      await client.ask('remove page', { path: `/api/html/public/${oldest}`, method: 'DELETE', wants: 204 });
  };
  const putKey = async (): Promise<void> => {
    const key = `key-${random.between(1, SHARED.keys)}`;
    const id = any('store', SHARED.stores);
    const path = `/api/kv/${NAMESPACE}/${id}/${key}`;
    await client.ask('put key', { path, method: 'PUT', headers: JSON_BODY, body: value(random, id) });
  };
  const update = async (): Promise<void> => {
    const id = any('page', SHARED.pages);
    const path = `/api/html/${NAMESPACE}/${id}`;
    await client.ask('update page', { path, method: 'PUT', headers: HTML, body: page(random, id) });
  };
  const replaceSite = async (): Promise<void> => {
    const id = any('site', SHARED.sites);
    await client.ask('replace site', {
      path: `/api/sites/${NAMESPACE}/${id}`,
      method: 'PUT',
      body: siteForm(random, id),
    });
  };

  /** How often each is picked, in a thousand. */
  const kinds: ReadonlyArray<readonly [share: number, run: () => Promise<void>]> = [
    [400, () => read('page', any('page', SHARED.pages))],
    [100, () => read('document', any('document', SHARED.documents))],
    [100, () => read('key', any('store', SHARED.stores), '/first')],
    [80, () => read('file', any('file', SHARED.files), '?raw=true')],
    [
      80,
      () =>
        read(
          'file of a site',
          any('site', SHARED.sites),
          `/page-${random.between(1, SHARED.filesOfSite - 1)}.html`,
        ),
    ],
    [120, putKey],
    [40, publish],
    [35, update],
    [5, replaceSite],
    [30, async () => void (await client.ask('gallery', { path: '/api/gallery?tag=soak' }))],
    [5, async () => void (await client.ask('stats', { path: '/api/stats' }))],
    [
      5,
      async () =>
        void (await client.ask('missing', {
          path: `/${NAMESPACE}/missing-${random.between(1, 10_000)}`,
          wants: 404,
        })),
    ],
  ];

  return async () => {
    let left = random.between(0, 999);
    for (const [share, run] of kinds) {
      left -= share;
      if (left < 0) return await run();
    }
  };
}
