import { PerchError } from './errors.ts';
import { IN_BROWSER } from './upload-body.ts';

export type Fetch = (input: string, init: RequestInit) => Promise<Response>;

export interface SentRequest extends RequestInit {
  method: string;
  headers: Headers;
}

/** Headers that are for the server alone that they were given for. */
const SECRETS = ['X-Owner-Token', 'X-Password', 'Authorization'];

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Redirects that are followed one after the other, as many as `fetch` would. */
const MAX_REDIRECTS = 20;

/**
 * Sends a read, and follows its redirects. To another origin secrets do not go along: an item's own host needs none. The
 * API leads nowhere else, so there a redirect of a read with secrets is refused, which without them would find other things.
 * @throws PerchError
 */
export async function sendRead(
  send: Fetch,
  server: string,
  address: string,
  init: SentRequest,
): Promise<Response> {
  let url = server + address;
  // Browsers follow redirects by themselves, and show them to no script.
  if (IN_BROWSER) return send(url, init);
  const headers = new Headers(init.headers);
  for (let followed = 0; followed <= MAX_REDIRECTS; followed++) {
    const response = await send(url, { ...init, headers, redirect: 'manual' });
    const target = targetOf(response, url);
    if (target === null) return response;
    if (target.origin !== new URL(url).origin) {
      const hasSecrets = SECRETS.some((name) => headers.has(name));
      if (hasSecrets && address.startsWith('/api/')) throw redirectError(response, target, address);
      for (const name of SECRETS) headers.delete(name);
    }
    await response.body?.cancel();
    url = target.href;
  }
  throw new Error('it leads on and on');
}

/**
 * Sends a change. A redirect of it is refused: followed, a POST could become a read, which succeeds and changes nothing.
 * @throws PerchError
 */
export async function sendChange(
  send: Fetch,
  server: string,
  address: string,
  init: SentRequest,
): Promise<Response> {
  const url = server + address;
  // `fetch` of Node.js keeps all of a stream in memory, to send it again after a redirect, unless that is an error.
  const redirect = init.body instanceof ReadableStream ? 'error' : 'manual';
  try {
    return refuseRedirect(await send(url, { ...init, redirect }), url, address);
  } catch (error) {
    if (redirect === 'error' && isRedirectFailure(error)) {
      // The error does not say where it leads to; a request without the stream is told.
      const { signal = null } = init;
      refuseRedirect(await send(url, { method: 'HEAD', signal, redirect: 'manual' }), url, address);
    }
    throw error;
  }
}

function refuseRedirect(response: Response, url: string, address: string): Response {
  const target = targetOf(response, url);
  // Browsers do not say where a redirect leads to.
  if (target !== null || response.type === 'opaqueredirect') throw redirectError(response, target, address);
  return response;
}

/** Where an answer leads to; `null`: nowhere else. */
function targetOf({ status, headers }: Response, url: string): URL | null {
  const location = headers.get('Location');
  return location === null || !REDIRECTS.has(status) ? null : new URL(location, url);
}

function redirectError(response: Response, target: URL | null, address: string): PerchError {
  const href = target?.href ?? 'another address';
  const server = href.endsWith(address) ? href.slice(0, -address.length) : href;
  return new PerchError(response, { message: `This server leads to ${server}: use that address.` });
}

/** Whether `fetch` has met a redirect that was to be an error: runtimes say so in words of their own. */
const isRedirectFailure = (error: unknown): boolean =>
  error instanceof Error && /redirect/i.test(`${error.message} ${String(error.cause)}`);
