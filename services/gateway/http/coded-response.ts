import { compress } from './compress.ts';
import { type Coding, codingFor, isCompressible, tagOfForm } from './content-coding.ts';
import type { RequestContext } from './request-context.ts';

/** Answers with a text that was made for this request, compressed if that pays. */
export async function textResponse(
  text: string,
  headers: Record<string, string>,
  coding: Coding | null,
): Promise<Response> {
  if (coding === null) return new Response(text, { headers });
  return await codedResponse(new Response(text, { headers }), coding);
}

/**
 * Compresses the answer to a GET that was made for this request: lists, records, pages of ours. What says by `Vary` that it
 * has a form already is left as it is, and so are errors and what no cache may store: tokens, tickets, what has a password.
 */
export async function inBestForm({ method, request }: RequestContext, response: Response): Promise<Response> {
  if (method !== 'GET' || response.status !== 200) return response;
  const { headers } = response;
  if (!isCompressible(headers.get('content-type') ?? '')) return response;
  const vary = headers.get('vary');
  if (vary?.includes('Accept-Encoding') || headers.get('cache-control')?.includes('no-store'))
    return response;
  headers.set('Vary', vary === null ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  const coding = codingFor(request.headers);
  return coding === null ? response : await codedResponse(response, coding);
}

async function codedResponse(response: Response, coding: Coding): Promise<Response> {
  const { headers, status } = response;
  const bytes = await response.bytes();
  const made = await compress(bytes, coding);
  if (!(made instanceof Uint8Array)) return new Response(bytes, { status, headers });
  const etag = headers.get('etag');
  if (etag !== null) headers.set('ETag', tagOfForm(etag, coding));
  headers.set('Content-Encoding', coding);
  return new Response(made, { status, headers });
}
