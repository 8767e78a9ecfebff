import { type Address, changeVersion, RefusedError, request, versionOf } from '../owner-api.ts';

/** A key in the list of a store. */
export interface ListedKey {
  readonly key: string;
  readonly sizeBytes: number;
}

/** A value as it can be edited. */
export interface EditedValue {
  /** The content of a text, or the JSON of anything else: as it is stored, so that numbers stay exact. */
  readonly text: string;
  readonly isText: boolean;
}

export interface StoredValue extends EditedValue {
  /** Names the version that was read. */
  readonly etag: string;
}

/** The keys of a store. */
export interface StoredPairs {
  /** @throws RefusedError */
  list(): Promise<readonly ListedKey[]>;
  /** `null` when there is no such key. @throws RefusedError */
  read(key: string): Promise<StoredValue | null>;
  /**
   * Writes the version named by `etag`, or with `null` a new key. Resolves to the new version; `null` when another one is
   * there. @throws RefusedError; SyntaxError for what is to be JSON and is none
   */
  write(key: string, value: EditedValue, etag: string | null): Promise<string | null>;
  /** Resolves to whether it is gone: not when another version is there. @throws RefusedError */
  remove(key: string, etag: string): Promise<boolean>;
}

export function storedPairs(token: string, { namespace, id }: Address): StoredPairs {
  const store = `/api/kv/${namespace}/${id}`;
  const pathOf = (key: string): string => `${store}/${encodeURIComponent(key)}`;
  return {
    async list() {
      const { entries } = (await (await request('GET', store, token)).json()) as { entries: ListedKey[] };
      return entries;
    },
    async read(key) {
      try {
        const response = await request('GET', pathOf(key), token);
        return { ...valueIn(await response.text()), etag: versionOf(response) };
      } catch (error) {
        if (error instanceof RefusedError && error.status === 404) return null;
        throw error;
      }
    },
    async write(key, value, etag) {
      const headers = {
        'Content-Type': 'application/json',
        ...(etag === null ? { 'If-None-Match': '*' } : { 'If-Match': etag }),
      };
      const written = await changeVersion('PUT', pathOf(key), token, { headers, body: bodyOf(value) });
      return written === null ? null : versionOf(written);
    },
    async remove(key, etag) {
      const headers = { 'If-Match': etag };
      return (await changeVersion('DELETE', pathOf(key), token, { headers })) !== null;
    },
  };
}

/** `{"value":…}` with the JSON as it was written: its numbers may have more digits than a number here. */
function bodyOf({ text, isText }: EditedValue): string {
  if (isText) return JSON.stringify({ value: text });
  JSON.parse(text);
  return `{"value":${text}}`;
}

/** Whether two values are one when they are stored, which takes the white space between the parts of JSON away. */
export const isSameValue = (one: EditedValue, other: EditedValue): boolean => compact(one) === compact(other);

const compact = ({ text, isText }: EditedValue): string =>
  isText ? JSON.stringify(text) : text.replace(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, '$1');

/** The value in the answer to a read of a key, which stands there as it is stored. */
export function valueIn(answer: string): EditedValue {
  const { key, value, namespace, id } = JSON.parse(answer) as Record<string, unknown>;
  if (typeof value === 'string') return { text: value, isText: true };
  const begin = JSON.stringify({ namespace, id, key }).length + '"value":'.length;
  return { text: answer.slice(begin, answer.lastIndexOf(',"version":')), isText: false };
}
