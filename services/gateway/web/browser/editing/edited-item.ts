import { type Address, changeVersion, request, versionOf } from '../owner-api.ts';
import type { PageFormat } from '../publish/content-kinds.ts';

/** The source of an item, as it was read. */
export interface Source {
  readonly text: string;
  readonly format: PageFormat | 'JSON';
  /** Language of a text, for its colours in the preview. */
  readonly language: string | null;
  /** `null` where none can be given. */
  readonly title: string | null;
  /** Names the version that was read. */
  readonly etag: string;
}

/** A text as it shall be stored. */
export interface Change {
  readonly text: string;
  /** `null`: it stays. */
  readonly title: string | null;
  /** The version that it replaces: another one is a conflict. */
  readonly etag: string;
}

/** The parts of an item that a change may have changed with its text. */
export type Written = Pick<Source, 'title' | 'etag'>;

/** Reads and replaces the text of an item. */
export interface EditedItem {
  /** @throws RefusedError */
  read(): Promise<Source>;
  /** Resolves to what it is now; `null` when another version is there by now. @throws RefusedError */
  write(change: Change): Promise<Written | null>;
}

export const editedPage = (token: string, { namespace, id }: Address): EditedItem => ({
  async read() {
    const response = await request('GET', `/api/html/${namespace}/${id}/source`, token);
    const { content, format, language, title } = (await response.json()) as {
      content: string;
      format: PageFormat;
      language: string | null;
      title: string;
    };
    return { text: content, format, language, title, etag: versionOf(response) };
  },
  async write(change) {
    const query = change.title === null ? '' : `?title=${encodeURIComponent(change.title)}`;
    const response = await replace(token, `/api/html/${namespace}/${id}${query}`, 'text/plain', change);
    if (response === null) return null;
    const page = (await response.json()) as { title: string };
    return { title: page.title, etag: versionOf(response) };
  },
});

export const editedDocument = (token: string, { namespace, id }: Address): EditedItem => ({
  async read() {
    const response = await request('GET', `/api/json/${namespace}/${id}`, token);
    return {
      text: await response.text(),
      format: 'JSON',
      language: null,
      title: null,
      etag: versionOf(response),
    };
  },
  async write(change) {
    const response = await replace(token, `/api/json/${namespace}/${id}`, 'application/json', change);
    return response === null ? null : { title: null, etag: versionOf(response) };
  },
});

/** Replaces one version; `null` when another one is there. @throws RefusedError */
const replace = (
  token: string,
  path: string,
  type: string,
  { text, etag }: Change,
): Promise<Response | null> =>
  changeVersion('PUT', path, token, { headers: { 'Content-Type': type, 'If-Match': etag }, body: text });

/** A text as fields of a page have it: each line ends with LF. */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

/** A text out of a field with the line ends of another: CR LF where all of that one are, so that an edit changes nothing else. */
export const withLineEndsOf = (text: string, other: string): string =>
  /\r\n/.test(other) && !/(?<!\r)\n/.test(other) ? text.replaceAll('\n', '\r\n') : text;
