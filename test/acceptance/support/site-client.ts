import { expect } from 'bun:test';
import { strToU8, zipSync } from 'fflate';
import {
  type Address,
  type Body,
  type Client,
  jsonOf,
  ownedBy,
  type Published,
  type RequestOptions,
  raw,
  shortPath,
} from './client.ts';
import { NAVIGATION } from './file-client.ts';
import { type FormPart, form } from './multipart.ts';

/** The answer to the create of a site (specification 3.2). */
export interface PublishedSite extends Published {
  entryFile: string;
  fileCount: number;
  totalSizeBytes: number;
}

/** A site with all its files (specification 8.3). */
export interface SiteRecord extends PublishedSite {
  files: Array<{ path: string; contentType: string; sizeBytes: number }>;
  updatedAt: string;
  views: number;
}

export type SiteFiles = Record<string, string | Uint8Array>;

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === 'string' ? strToU8(content) : content;

export const archiveOf = (files: SiteFiles): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, content]) => [path, bytesOf(content)])), {
    level: 1,
  });

export const siteApiPath = (site: Address): string => `/api/sites${shortPath(site)}`;

export const postSite = (client: Client, options: RequestOptions) =>
  client.request('/api/sites', { method: 'POST', ...options });

/** POST /api/sites of a ZIP as it is. */
export const postArchive = (client: Client, archive: Uint8Array, options: RequestOptions = {}) =>
  postSite(client, raw(archive, 'application/zip', options));

export const postSiteForm = (client: Client, parts: FormPart[], options: RequestOptions = {}) =>
  postSite(client, form(parts, options));

/** A site that must come to be. */
export async function publishSite(
  client: Client,
  files: SiteFiles,
  options: RequestOptions = {},
): Promise<PublishedSite> {
  return await jsonOf<PublishedSite>(await postArchive(client, archiveOf(files), options), 201);
}

/** Reads a path of a site; the path is given as in an address, percent-encoded. */
export const readSite = (client: Client, site: Address, path: string, options: RequestOptions = {}) =>
  client.request(`${shortPath(site)}/${path}`, options);

/** The record of a site, as its owner gets it. */
export const recordOf = async (client: Client, site: Published) =>
  await jsonOf<SiteRecord>(await client.request(siteApiPath(site), ownedBy(site)));

export const replaceSite = (client: Client, site: Published, archive: Body, options: RequestOptions = {}) =>
  client.request(siteApiPath(site), {
    method: 'PUT',
    ...raw(archive, 'application/zip', {
      ...options,
      headers: { 'X-Owner-Token': site.ownerToken, ...options.headers },
    }),
  });

/** As a browser asks for what a page or a player loads: no cookie goes along from a sandbox. */
export const embedded = (destination: 'style' | 'script' | 'image' | 'video' | 'font') => ({
  Accept: '*/*',
  'Sec-Fetch-Dest': destination,
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Site': 'cross-site',
});

/** Acts as a person with the password: opens the address, submits the form, and returns the cookie. */
export async function unlock(client: Client, item: Address, password: string): Promise<string> {
  const asked = await client.read(item, { headers: NAVIGATION });
  expect(asked.status).toBe(403);
  const action = /<form[^>]* action="([^"]+)"/.exec(await asked.text())?.[1] ?? '';
  const body = new URLSearchParams({ password }).toString();
  const opened = await client.request(action, {
    method: 'POST',
    ...raw(body, 'application/x-www-form-urlencoded'),
  });
  expect([opened.status, opened.headers.get('Location')]).toEqual([303, shortPath(item)]);
  return (opened.headers.get('Set-Cookie') ?? '').split(';', 1)[0] ?? '';
}
