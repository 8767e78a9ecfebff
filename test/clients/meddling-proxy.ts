interface Asked {
  method: string;
  path: string;
  headers: Headers;
  /** Passes the request on; at most once. */
  pass(): Promise<Response>;
}

/**
 * Stands in front of a Perch, and lets a test do something when a request comes.
 * @param meddle what it returns is the answer; without one the request is passed on
 */
export const startMeddling = (target: string, meddle: (asked: Asked) => Promise<Response | undefined>) =>
  Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch({ url, method, headers, body }) {
      const { pathname, search } = new URL(url);
      const sent = new Headers(headers);
      sent.delete('Host');
      sent.delete('Authorization');
      const pass = () =>
        fetch(target + pathname + search, { method, headers: sent, body, decompress: false });
      return (await meddle({ method, path: pathname, headers, pass })) ?? (await pass());
    },
  });

/** A refusal that is not worth a second attempt. */
export const refusal = (): Response =>
  Response.json({ status: 507, code: 'STORAGE_FULL', error: '', message: 'No room.' }, { status: 507 });
