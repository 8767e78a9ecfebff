import { zipSync } from 'fflate';
import { OWNER_TOKEN, type Seen, send, statusOf } from './client.ts';

/** How items of one kind are written and read; `text` is all there is in them. */
export interface ItemKind {
  name: string;
  create(base: string, id: string, text: string): Promise<Seen>;
  /** `null` where items of this kind cannot be changed. */
  update: ((base: string, id: string, text: string) => Promise<Seen>) | null;
  remove(base: string, id: string): Promise<Seen>;
  /** Its text, as a reader sees it. */
  read(base: string, id: string): Promise<Seen>;
}

const OWNER = { 'X-Owner-Token': OWNER_TOKEN };
const typed = (type: string) => ({ ...OWNER, 'Content-Type': type });

/** A kind whose body is the content itself. */
function plainKind(
  api: string,
  type: string,
  toBody: (text: string) => string | Uint8Array<ArrayBuffer> = (text) => text,
): ItemKind {
  const write = (method: string, address: string, text: string): Promise<Seen> =>
    send(address, { method, headers: typed(type), body: toBody(text) });
  return {
    name: `${api} ${type}`,
    create: (base, id, text) => write('POST', `${base}/api/${api}?ns=faults&id=${id}`, text),
    update: (base, id, text) => write('PUT', `${base}/api/${api}/faults/${id}`, text),
    remove: (base, id) => send(`${base}/api/${api}/faults/${id}`, { method: 'DELETE', headers: OWNER }),
    read: (base, id) => send(`${base}/faults/${id}?raw=true`),
  };
}

const json: ItemKind = plainKind('json', 'application/json', (text) => JSON.stringify(text));
const site: ItemKind = plainKind('sites', 'application/zip', (text) => {
  const bytes = Buffer.from(text);
  return zipSync({ 'index.html': bytes, 'a/part.txt': bytes, 'z/last.txt': bytes }, { level: 0 });
});

/** Every kind of item but stores. */
export const ITEM_KINDS: ItemKind[] = [
  plainKind('html', 'text/html'),
  plainKind('html', 'text/markdown'),
  {
    ...json,
    async read(base, id) {
      const seen = await json.read(base, id);
      return statusOf(seen) === 200 && seen.answered
        ? { ...seen, text: String(JSON.parse(seen.text)) }
        : seen;
    },
  },
  {
    ...plainKind('files', 'multipart/form-data'),
    create(base, id, text) {
      const body = new FormData();
      body.append('file', new File([text], 'file.txt', { type: 'text/plain' }));
      return send(`${base}/api/files?ns=faults&id=${id}`, { method: 'POST', headers: OWNER, body });
    },
    update: null,
  },
  {
    ...site,
    async read(base, id) {
      const paths = ['index.html', 'a/part.txt', 'z/last.txt'];
      const all = await Promise.all(paths.map((path) => send(`${base}/faults/${id}/${path}`)));
      const [first] = all as [Seen, ...Seen[]];
      const other = all.find((seen) => !seen.answered || statusOf(seen) !== statusOf(first));
      if (other !== undefined || !first.answered || first.status !== 200) return other ?? first;
      const isWhole = all.every((seen) => seen.answered && seen.text === first.text);
      return isWhole ? first : { ...first, text: 'files of several versions' };
    },
  },
];
