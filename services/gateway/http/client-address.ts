import { isIP } from 'node:net';
import type { Server } from 'bun';

/**
 * The client's address: the socket's, or with `trustProxy` = n the n-th from the right of X-Forwarded-For, which is
 * what the outermost trusted proxy saw. Entries further left are the client's own claim. A shorter list than
 * promised falls back to the socket.
 */
export function clientAddress(request: Request, server: Server<unknown>, trustProxy: number): string {
  const socket = server.requestIP(request)?.address ?? 'unknown';
  if (trustProxy === 0) return socket;
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  const claimed = withoutPort(forwarded.at(-trustProxy)?.trim() ?? '');
  return forwarded.length >= trustProxy && isIP(claimed) !== 0 ? claimed : socket;
}

/** Some proxies append the port; the address is the same without it. */
function withoutPort(text: string): string {
  const [, bracketed, dotted] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return bracketed ?? dotted ?? text;
}
