import { LRUCache } from 'lru-cache';
import { compress } from '../http/compress.ts';
import { CODINGS, type Coding, codingFor, heldTag, tagOfForm } from '../http/content-coding.ts';

/** A body that is the same for everybody until the process ends. */
export interface FixedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Strong, of the bytes, with its quotes. */
  readonly etag: string;
  /** The compressed bytes, made once for all clients that accept them; `null` where that does not pay. */
  compressed(coding: Coding): Promise<Uint8Array | null>;
}

export function fixedBody(bytes: Uint8Array, contentType: string): FixedBody {
  const etag = `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  const forms = new Map(
    CODINGS.map((coding) => [
      coding,
      loadOnce(async () => {
        const made = await compress(bytes, coding);
        if (made === 'busy') throw new Busy();
        return made === 'not-worth' ? null : made;
      }),
    ]),
  );
  return {
    bytes,
    contentType,
    etag,
    async compressed(coding) {
      try {
        return (await forms.get(coding)?.()) ?? null;
      } catch (error) {
        if (error instanceof Busy) return null;
        throw error;
      }
    },
  };
}

/** Too much else is being compressed: the next request tries again. */
class Busy extends Error {}

/**
 * Answers 200 in the form that the client prefers, or 304 for a client that has the body.
 * @param hold takes room for the bytes that are sent: Bun copies them for each answer, and keeps of a copy what the kernel has
 * no room for. Bodies that the kernel takes whole need none.
 * @throws what `hold` throws
 */
export async function fixedResponse(
  { headers: asked }: Request,
  body: FixedBody,
  cacheControl: string,
  hold: (bytes: number) => Promise<void> = async () => undefined,
): Promise<Response> {
  const headers: Record<string, string> = {
    'Content-Type': body.contentType,
    'Cache-Control': cacheControl,
    ETag: body.etag,
    Vary: 'Accept-Encoding',
  };
  const held = heldTag(asked, body.etag);
  if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
  const coding = codingFor(asked);
  const compressed = coding === null ? null : await body.compressed(coding);
  const sent = compressed ?? body.bytes;
  await hold(sent.length);
  if (coding === null || compressed === null) return new Response(sent, { headers });
  Object.assign(headers, { 'Content-Encoding': coding, ETag: tagOfForm(body.etag, coding) });
  return new Response(sent, { headers });
}

/**
 * Loads a value at the first call and shares it with all others (single-flight). After a failure the next call tries
 * again.
 */
export function loadOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}

/**
 * Keeps the results of `make` for the base addresses used last. Without BASE_URL clients choose the address, so there is no end
 * of them.
 * @param max results that are kept
 */
export function byBaseUrl<T extends object>(make: (baseUrl: string) => T, max = 8): (baseUrl: string) => T {
  const made = new LRUCache<string, T>({ max });
  return (baseUrl) => {
    const one = made.get(baseUrl) ?? make(baseUrl);
    made.set(baseUrl, one);
    return one;
  };
}

/** Stands for the base address in what is made for all who come by whatever address. No host can have this name (RFC 6761). */
export const ANY_BASE_URL = 'http://base-url.invalid';

/** A text that was made with `ANY_BASE_URL`, for those who come by one address. */
export const withBaseUrl = (text: string, baseUrl: string): string => text.replaceAll(ANY_BASE_URL, baseUrl);
