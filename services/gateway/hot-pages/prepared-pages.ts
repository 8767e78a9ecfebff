import { LRUCache } from 'lru-cache';
import type { Config } from '../../../shared/config.ts';
import { maskPath } from '../http/query-masking.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { WholeBodies } from '../items/whole-bodies.ts';

/** The general path's answer to a plain GET of a page, to be given again. */
export interface PreparedPage {
  readonly namespace: string;
  readonly id: string;
  /** Of the item: another version has another answer. */
  readonly version: number;
  /** The Host header of the request whose answer this is. */
  readonly host: string | null;
  /** As the access log has it. */
  readonly path: string;
  /** All that the general path sent. Those that differ for each request are set anew before each answer. */
  readonly headers: Headers;
  body(): Bun.BodyInit | null;
}

export interface PreparedPages {
  /** @param url as Bun has it: whole, and encoded as it came */
  find(url: string): PreparedPage | undefined;
  /** Keeps an answer of the general path if every plain GET for its URL would get it. */
  keep(context: RequestContext, response: Response): void;
  forget(url: string): void;
}

/** Part of CACHE_MAX_BYTES that pages may hold here; the rest is the byte cache's. */
export const PREPARED_SHARE = 1 / 8;

/** Memory of a page besides its content. */
const FIXED_BYTES = 4_096;

/** Only what is percent-encoded without need makes the address of an item longer. */
const URL_CHARACTERS = 500;

/** Bodies that Bun sends in one piece with their headers, whatever they are made of (`whole-bodies.ts`). */
const SENT_WHOLE_BYTES = 15_359;

export function createPreparedPages(
  { cacheMaxBytes, contentBaseUrl }: Pick<Config, 'cacheMaxBytes' | 'contentBaseUrl'>,
  bodies: WholeBodies,
): PreparedPages {
  const pages = new LRUCache<string, PreparedPage & { bytes: number }>({
    maxSize: Math.max(1, Math.floor(cacheMaxBytes * PREPARED_SHARE)),
    sizeCalculation: ({ bytes }) => FIXED_BYTES + bytes,
  });

  return {
    find: (url) => pages.get(url),
    keep({ plainAnswer, request, path }, response) {
      if (plainAnswer === null || response.status !== 200) return;
      const { record, bytes } = plainAnswer;
      if (record.passwordHash !== null || request.url.length > URL_CHARACTERS) return;
      // On a host of their own the policy of pages depends on it.
      if (contentBaseUrl !== null && request.headers.has('sec-fetch-dest')) return;
      // The content of a Blob is not copied for each answer.
      const blob = bytes.length <= SENT_WHOLE_BYTES ? new Blob([new Uint8Array(bytes)]) : null;
      pages.set(request.url, {
        ...{ namespace: record.namespace, id: record.id, version: record.version, bytes: bytes.length },
        host: request.headers.get('host'),
        path: maskPath(path),
        headers: new Headers(response.headers),
        body: () => blob ?? bodies.of({ isHead: false }, bytes),
      });
    },
    forget: (url) => void pages.delete(url),
  };
}
