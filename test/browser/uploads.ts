import type { Published } from './publish.ts';

export type SiteFiles = Record<string, string | Uint8Array>;

interface UploadOptions {
  query?: Record<string, string>;
  password?: string;
}

/** Uploads a file through the API. */
export async function uploadFile(
  baseUrl: string,
  filename: string,
  content: string | Uint8Array,
  options: UploadOptions = {},
): Promise<Published> {
  const form = new FormData();
  form.append('file', new Blob([content]), filename);
  return await create(baseUrl, '/api/files', form, options);
}

/** Publishes a JSON document. */
export const publishJson = (baseUrl: string, text: string, password?: string): Promise<Published> =>
  create(baseUrl, '/api/json', text, password === undefined ? {} : { password });

/** Uploads a site, file by file. */
export async function uploadSite(
  baseUrl: string,
  files: SiteFiles,
  options: UploadOptions = {},
): Promise<Published> {
  return await create(baseUrl, '/api/sites', siteForm(files), options);
}

/** Puts other files in place of a site's. */
export async function replaceSite(
  baseUrl: string,
  { path, ownerToken }: Published,
  files: SiteFiles,
): Promise<void> {
  const response = await fetch(`${baseUrl}/api/sites${path}`, {
    method: 'PUT',
    headers: { 'User-Agent': 'PerchTests/1', 'X-Owner-Token': ownerToken },
    body: siteForm(files),
  });
  if (response.status !== 200) throw new Error(`replace: ${response.status} ${await response.text()}`);
}

/** Creates a key-value store with one entry after another. */
export async function createStore(
  baseUrl: string,
  entries: Record<string, unknown>,
  options: UploadOptions = {},
): Promise<Published> {
  const [[key, value] = ['key', null], ...others] = Object.entries(entries);
  const store = await create(baseUrl, '/api/kv', JSON.stringify({ key, value }), options);
  for (const [name, content] of others) {
    const response = await fetch(`${baseUrl}/api/kv${store.path}/${encodeURIComponent(name)}`, {
      method: 'PUT',
      headers: {
        'User-Agent': 'PerchTests/1',
        'X-Owner-Token': store.ownerToken,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({ value: content }),
    });
    if (response.status !== 200) throw new Error(`put: ${response.status} ${await response.text()}`);
  }
  return store;
}

function siteForm(files: SiteFiles): FormData {
  const form = new FormData();
  for (const path of Object.keys(files)) form.append('paths', path);
  for (const [path, content] of Object.entries(files)) form.append('files', new Blob([content]), path);
  return form;
}

async function create(
  baseUrl: string,
  path: string,
  body: FormData | string,
  { query = {}, password }: UploadOptions,
): Promise<Published> {
  const response = await fetch(`${baseUrl}${path}?${new URLSearchParams(query)}`, {
    method: 'POST',
    headers: {
      'User-Agent': 'PerchTests/1',
      ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
      ...(password === undefined ? {} : { 'X-Password': password }),
    },
    body,
  });
  if (response.status !== 201) throw new Error(`create: ${response.status} ${await response.text()}`);
  const created = (await response.json()) as Omit<Published, 'path'>;
  return { ...created, path: `/${created.namespace}/${created.id}` };
}
