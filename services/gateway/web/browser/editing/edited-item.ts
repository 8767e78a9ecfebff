import { type Address, RefusedError, request } from '../owner-api.ts';
import type { PageFormat } from '../publish/kind-of-files.ts';

/** The source of an item, as it was read. */
export interface Source {
  readonly text: string;
  readonly format: PageFormat | 'JSON';
  /** Of a text, for its colours in the preview. */
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
    return { text: content, format, language, title, etag: tagOf(response) };
  },
  async write({ text, title, etag }) {
    const query = title === null ? '' : `?title=${encodeURIComponent(title)}`;
    const response = await replace(token, `/api/html/${namespace}/${id}${query}`, 'text/plain', text, etag);
    if (response === null) return null;
    const page = (await response.json()) as { title: string };
    return { title: page.title, etag: tagOf(response) };
  },
});

export const editedDocument = (token: string, { namespace, id }: Address): EditedItem => ({
  async read() {
    const response = await request('GET', `/api/json/${namespace}/${id}`, token);
    return {
      ...{ text: await response.text(), format: 'JSON', language: null, title: null },
      etag: tagOf(response),
    };
  },
  async write({ text, etag }) {
    const response = await replace(token, `/api/json/${namespace}/${id}`, 'application/json', text, etag);
    return response === null ? null : { title: null, etag: tagOf(response) };
  },
});

/** `*`, any version, where there is no tag. */
const tagOf = ({ headers }: Response): string => headers.get('ETag') ?? '*';

/** Replaces one version; `null` when another one is there. @throws RefusedError */
async function replace(
  token: string,
  path: string,
  type: string,
  body: string,
  etag: string,
): Promise<Response | null> {
  try {
    const headers = { 'Content-Type': type, 'If-Match': etag };
    return await request('PUT', path, token, { headers, body });
  } catch (error) {
    if (error instanceof RefusedError && error.status === 412) return null;
    throw error;
  }
}
