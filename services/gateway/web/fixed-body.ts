import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import Negotiator from 'negotiator';
import { matchesEtag } from '../http/conditional.ts';
import { loadOnce } from './load-once.ts';

const compress = promisify(gzip);

/** A body that is the same for everybody until the process ends. */
export interface FixedBody {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Strong, of the bytes, with its quotes. */
  readonly etag: string;
  /** The compressed bytes, made once for all clients that accept them. */
  gzip(): Promise<Uint8Array>;
}

export function fixedBody(bytes: Uint8Array, contentType: string): FixedBody {
  const etag = `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, contentType, etag, gzip: loadOnce(() => compress(bytes)) };
}

/**
 * Answers 200, or 304 for a client that has the body. The compressed form has an ETag of its own (RFC 9110, section
 * 8.8.3.3).
 */
export async function fixedResponse(
  request: Request,
  body: FixedBody,
  cacheControl: string,
): Promise<Response> {
  const compressed = acceptsGzip(request);
  const etag = compressed ? body.etag.replace(/"$/, '-gzip"') : body.etag;
  const headers: Record<string, string> = {
    'Content-Type': body.contentType,
    'Cache-Control': cacheControl,
    ETag: etag,
    Vary: 'Accept-Encoding',
  };
  if (matchesEtag(request.headers.get('if-none-match'), etag)) {
    return new Response(null, { status: 304, headers });
  }
  if (!compressed) return new Response(body.bytes, { headers });
  return new Response(await body.gzip(), { headers: { ...headers, 'Content-Encoding': 'gzip' } });
}

function acceptsGzip({ headers }: Request): boolean {
  const accepted = headers.get('accept-encoding');
  if (accepted === null) return false;
  return (
    new Negotiator({ headers: { 'accept-encoding': accepted } }).encoding(['gzip', 'identity']) === 'gzip'
  );
}
