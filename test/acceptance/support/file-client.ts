import {
  type Address,
  type Client,
  jsonOf,
  type Published,
  type RequestOptions,
  shortPath,
} from './client.ts';
import { type FormPart, form } from './multipart.ts';

/** The answer to the create of a file (specification 3.2). */
export interface PublishedFile extends Published {
  filename: string;
  contentType: string;
}

export const fileApiPath = (file: Address): string => `/api/files${shortPath(file)}`;

export const filePart = (filename: string, content: string | Uint8Array): FormPart => ({
  name: 'file',
  filename,
  content,
});

/** POST /api/files with these parts. */
export const postForm = (client: Client, parts: FormPart[], options: RequestOptions = {}) =>
  client.request('/api/files', { method: 'POST', ...form(parts, options) });

export const postFile = (
  client: Client,
  filename: string,
  content: string | Uint8Array,
  options: RequestOptions = {},
) => postForm(client, [filePart(filename, content)], options);

/** An upload that must succeed. */
export async function publishFile(
  client: Client,
  filename: string,
  content: string | Uint8Array,
  options: RequestOptions = {},
): Promise<PublishedFile> {
  return await jsonOf<PublishedFile>(await postFile(client, filename, content, options), 201);
}

/** As a browser asks for a page that a person opens. */
export const NAVIGATION = {
  Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Sec-Fetch-Dest': 'document',
  'Sec-Fetch-Mode': 'navigate',
};

/** The views that the counter has, without adding one. */
export async function viewsOf(client: Client, item: Address, options: RequestOptions = {}): Promise<number> {
  const response = await client.read(item, { ...options, method: 'HEAD' });
  return Number(response.headers.get('X-Views'));
}
