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
  const claimed = forwarded.at(-trustProxy)?.trim() ?? '';
  return forwarded.length >= trustProxy && isAddress(claimed) ? claimed : socket;
}

const isAddress = (text: string): boolean => /^[0-9a-fA-F:.]{2,45}$/.test(text);
