/** A web server on the loopback that is not Perch: what it serves has no policy at all. */
export interface Stranger {
  /** Without a slash at the end. To browsers it is the same site as a Perch on this address, of another origin. */
  url: string;
  /** Requests received, in order. */
  requests: Array<{ path: string; headers: Record<string, string> }>;
  /** Puts an HTML page at a path. */
  put(path: string, html: string): void;
  stop(): Promise<void>;
}

/** A foreign server; every path without content of its own is a text that all origins may read. */
export function startStranger(): Stranger {
  const pages = new Map<string, string>();
  const requests: Stranger['requests'] = [];
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push({ path: pathname + search, headers: request.headers.toJSON() });
      const page = pages.get(pathname);
      return page === undefined
        ? new Response('seen', { headers: { 'Access-Control-Allow-Origin': '*' } })
        : new Response(page, { headers: { 'Content-Type': 'text/html; charset=utf-8' } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    put: (path, html) => void pages.set(path, html),
    stop: () => server.stop(true),
  };
}
