import { type Seen, send } from '../load/send.ts';

/** Ends the demo; the message is one line that says what to do. */
export class DemoStop extends Error {}

export interface DemoRequest {
  method?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | Uint8Array | FormData;
}

type Answer = Extract<Seen, { answered: true }>;

/** A Perch that is spoken to over HTTP alone, as everybody does. */
export interface PerchClient {
  readonly url: string;
  /** Any answer. @throws DemoStop when there is none */
  send(path: string, request?: DemoRequest): Promise<Answer>;
  /** The JSON of an answer that must succeed. @throws DemoStop when it does not */
  ask<T>(path: string, request?: DemoRequest): Promise<{ reply: T; headers: Headers }>;
}

const OWN_AGENT = 'PerchDemo/1.0';

/** The setting that a 429 comes from. */
const SETTINGS: Record<string, string> = { POST: 'LIMIT_UPLOADS_PER_HOUR', GET: 'LIMIT_READS_PER_MINUTE' };

export function createPerchClient(url: string, signal: AbortSignal): PerchClient {
  const answerTo: PerchClient['send'] = async (path, { query = {}, headers = {}, ...init } = {}) => {
    signal.throwIfAborted();
    const target = new URL(path, url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    const request = { ...init, headers: { 'User-Agent': OWN_AGENT, ...headers }, signal };
    const seen = await send(target.href, request).catch(
      (error: unknown): Seen => ({ answered: false, reason: String(error) }),
    );
    if (seen.answered) return seen;
    signal.throwIfAborted();
    throw new DemoStop(
      `No Perch answers at ${url} (${seen.reason}). Start one with npm start, or name another with --url.`,
    );
  };

  return {
    url,
    send: answerTo,
    async ask<T>(path: string, request: DemoRequest = {}) {
      const { status, headers, text } = await answerTo(path, request);
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
