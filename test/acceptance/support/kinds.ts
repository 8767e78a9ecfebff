import { strToU8, zipSync } from 'fflate';
import { type Address, type Client, jsonOf, type Published, type RequestOptions, raw } from './client.ts';
import { fieldsOf, form } from './multipart.ts';

/** One of the five kinds of content, for tests of what they have in common. */
export interface KindUnderTest {
  name: 'html' | 'json' | 'kv' | 'file' | 'site';
  /** Where the API keeps it. */
  path: string;
  /** A create whose content is told from others by a text; `fields` go into the body, where it takes parameters. */
  create(text: string, options?: RequestOptions, fields?: Record<string, string>): RequestOptions;
  /** Whether a create takes parameters in its body. */
  takesFields: boolean;
  /** Where the content is, behind the item's short URL and behind its API address. */
  content: { short: string; api: string };
  /** The bytes there. */
  bytesOf(text: string): string;
  /** Further addresses that read the item, behind its short URL and behind its API address. */
  alsoRead: { short: string[]; api: string[] };
  /** A change by the owner, and where behind the API address it goes; `null`: the kind knows none. */
  change: { at: string; options: RequestOptions } | null;
}

/** A fixed time, so that a repeated upload has equal bytes. */
const mtime = new Date(2026, 0, 1);
const zip = (text: string): Uint8Array =>
  zipSync({ 'index.html': strToU8(`<p>${text}`), 'style.css': strToU8('p { color: teal }') }, { mtime });

const html: KindUnderTest = {
  name: 'html',
  path: '/api/html',
  takesFields: true,
  create: (text, options, fields) =>
    fields === undefined
      ? raw(`<p>${text}`, 'text/html', options)
      : { ...options, json: { content: `<p>${text}`, ...fields } },
  content: { short: '', api: '' },
  bytesOf: (text) => `<p>${text}`,
  alsoRead: { short: ['?raw=true', '?dl=true'], api: [] },
  change: { at: '', options: raw('<p>changed', 'text/html') },
};

const json: KindUnderTest = {
  name: 'json',
  path: '/api/json',
  takesFields: false,
  create: (text, options) => raw(JSON.stringify({ text }), 'application/json', options),
  content: { short: '', api: '' },
  bytesOf: (text) => JSON.stringify({ text }),
  alsoRead: { short: ['?raw=true', '?dl=true'], api: [] },
  change: { at: '', options: raw('"changed"', 'application/json') },
};

const kv: KindUnderTest = {
  name: 'kv',
  path: '/api/kv',
  takesFields: true,
  create: (text, options, fields) => ({ ...options, json: { key: 'greeting', value: text, ...fields } }),
  content: { short: '/greeting', api: '/greeting' },
  bytesOf: (text) => text,
  alsoRead: { short: ['', '/greeting?raw=true'], api: [''] },
  change: { at: '/greeting', options: { json: { value: 'changed' } } },
};

const file: KindUnderTest = {
  name: 'file',
  path: '/api/files',
  takesFields: true,
  create: (text, options, fields = {}) =>
    form([...fieldsOf(fields), { name: 'file', filename: 'notes.txt', content: text }], options),
  content: { short: '', api: '' },
  bytesOf: (text) => text,
  alsoRead: { short: ['?raw=true', '?dl=true'], api: ['?dl=true'] },
  change: null,
};

const site: KindUnderTest = {
  name: 'site',
  path: '/api/sites',
  takesFields: true,
  create: (text, options, fields = {}) =>
    form([...fieldsOf(fields), { name: 'archive', filename: 'site.zip', content: zip(text) }], options),
  content: { short: '/', api: '/files/index.html' },
  bytesOf: (text) => `<p>${text}`,
  alsoRead: { short: ['', '/index.html', '/style.css'], api: ['/files/style.css'] },
  change: { at: '', options: raw(zip('changed'), 'application/zip') },
};

export const KINDS: KindUnderTest[] = [html, json, kv, file, site];

/** The path of an item in the API. */
export const itemPath = (kind: KindUnderTest, { namespace, id }: Address): string =>
  `${kind.path}/${namespace}/${id}`;

export const createOf = (
  client: Client,
  kind: KindUnderTest,
  ...content: Parameters<KindUnderTest['create']>
): Promise<Response> => client.request(kind.path, { method: 'POST', ...kind.create(...content) });

/** A create that must succeed. */
export const publishKind = async (
  client: Client,
  kind: KindUnderTest,
  ...content: Parameters<KindUnderTest['create']>
): Promise<Published> => jsonOf<Published>(await createOf(client, kind, ...content), 201);

/** GET of an item's content by its short URL. */
export const readContent = (
  client: Client,
  kind: KindUnderTest,
  { namespace, id }: Address,
  options: RequestOptions = {},
): Promise<Response> => client.request(`/${namespace}/${id}${kind.content.short}`, options);

/** Every address that reads an item: by its short URL and in the API. */
export const readsOf = (kind: KindUnderTest, item: Address): string[] => {
  const { content, alsoRead } = kind;
  return [
    ...[content.short, ...alsoRead.short].map((rest) => `/${item.namespace}/${item.id}${rest}`),
    ...[content.api, ...alsoRead.api].map((rest) => `${itemPath(kind, item)}${rest}`),
  ];
};
