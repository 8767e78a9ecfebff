/** What stops the demo, in a line that says what to do. */
export class DemoStop extends Error {}

export interface DemoRequest {
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormData;
}

/** A Perch that is spoken to over HTTP alone, as everybody does. */
export interface PerchClient {
  readonly url: string;
  /** Any answer, its body read to the end. @throws DemoStop when there is none */
  send(path: string, request?: DemoRequest): Promise<{ status: number; headers: Headers; text: string }>;
  /** The JSON of an answer that must succeed. @throws DemoStop when it does not */
  ask<T>(path: string, request?: DemoRequest): Promise<{ reply: T; headers: Headers }>;
}

const OWN_AGENT = 'PerchDemo/1.0';

/** Longest wait for an answer, in ms. */
const TIMEOUT_MS = 30_000;

/** The setting that a 429 comes from. */
const SETTINGS: Record<string, string> = { POST: 'LIMIT_UPLOADS_PER_HOUR', GET: 'LIMIT_READS_PER_MINUTE' };

export function createPerchClient(url: string, signal: AbortSignal): PerchClient {
  const send: PerchClient['send'] = async (path, { query = {}, headers = {}, ...init } = {}) => {
    signal.throwIfAborted();
    const target = new URL(path, url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    try {
      const response = await fetch(target, {
        ...init,
        headers: { 'User-Agent': OWN_AGENT, ...headers },
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (error) {
      signal.throwIfAborted();
      const { message } = error as Error;
      throw new DemoStop(
        `No Perch answers at ${url} (${message}). Start one with npm start, or name another with --url.`,
      );
    }
  };

  return {
    url,
    send,
    async ask<T>(path: string, request: DemoRequest = {}) {
      const { status, headers, text } = await send(path, request);
      const { method = 'GET' } = request;
      if (status === 429) {
        const setting = SETTINGS[method] ?? 'LIMIT_CHANGES_PER_HOUR';
        throw new DemoStop(
          `The rate limit stopped the demo. Start Perch with ${setting}=0 and run it again.`,
        );
      }
      if (status < 200 || status > 299) {
        throw new DemoStop(`${method} ${path} got ${status} from ${url}: ${text.slice(0, 300)}`);
      }
      return { reply: JSON.parse(text) as T, headers };
    },
  };
}
