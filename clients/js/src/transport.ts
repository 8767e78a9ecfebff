import { PerchConnectionError, PerchError, PerchUncertainError } from './errors.ts';
import type { Method } from './operation.ts';
import { type Fetch, type SentRequest, sendChange, sendRead } from './redirects.ts';
import { type RetryOptions, retrying } from './retry.ts';
import { IN_BROWSER, type Progress, type UploadBody } from './upload-body.ts';

export interface TransportOptions {
  /** Where the Perch is, such as `https://perch.example.org`. */
  url: string | URL;
  /** Owner token of creates and changes whose call brings none of its own. */
  ownerToken?: string | undefined;
  retry?: RetryOptions | undefined;
  /** How long an attempt may make no progress, in ms; 60,000 when left out. */
  timeoutMs?: number | undefined;
  /** The User-Agent that is sent. Browsers send their own instead. */
  userAgent?: string | undefined;
  /** Instead of the global one. */
  fetch?: Fetch | undefined;
}

/** Options that every call accepts. */
export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The owner's token, when it is another one than that of the client. */
  ownerToken?: string | undefined;
  /** Password of a protected item, to read it. */
  password?: string | undefined;
}

export interface UploadOptions {
  /** Called while the body is sent. In browsers it is called once, before. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface OutgoingRequest extends CallOptions, UploadOptions {
  method: Method | 'head';
  /** Path and query. */
  address: string;
  headers?: Record<string, string | undefined>;
  body?: UploadBody | undefined;
  /** Whether it may be sent twice; left out: unless it is a POST. */
  mayRepeat?: boolean;
  /** Statuses that are no errors although they are no success. */
  expected?: number[];
  /** Left out: those of reads are followed, those of changes refused. */
  redirect?: 'manual';
}

/** An answer that has come as a whole. */
export interface Received {
  status: number;
  headers: Headers;
  /** Where it came from, after redirects. */
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** A browser does not tell how an upload goes on; the service gives no upload more time. In ms. */
const LONGEST_UPLOAD_MS = 1_860_000;

/** Sends requests to one Perch, again where that may help. */
export class Transport {
  readonly origin: string;
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    const { href } = new URL(options.url);
    this.origin = href.replace(/\/+$/, '');
    this.#options = options;
  }

  /** The whole answer of a success or of an expected status; everything else is thrown. */
  send(request: OutgoingRequest): Promise<Received> {
    return this.#attempt(request, receive);
  }

  /** Sends a request and returns the answer with its body unread; the caller reads it, without a time limit. */
  stream(request: OutgoingRequest): Promise<Response> {
    return this.#attempt(request, (response) => Promise.resolve(response));
  }

  async json<T>(request: OutgoingRequest): Promise<T> {
    const { bytes, url } = await this.send(request);
    try {
      return JSON.parse(textOf(bytes)) as T;
    } catch {
      throw new PerchConnectionError(url || this.origin, new Error('what answers there is no Perch'));
    }
  }

  async #attempt<T>(request: OutgoingRequest, read: Reader<T>): Promise<T> {
    const { method, body, signal, mayRepeat = method !== 'post' } = request;
    const headers = this.#headersOf(request);
    let isMaybeDone = false;
    return retrying(
      async () => {
        try {
          return await this.#sendOnce(request, headers, read);
        } catch (error) {
          // An earlier attempt has removed it, and its answer was lost.
          if (isMaybeDone && method === 'delete' && isStatus(error, 404))
            return read(new Response(null, { status: 204 }), () => undefined);
          if (isMaybeDone && isStatus(error, 412)) throw new PerchUncertainError(error);
          isMaybeDone ||= !(error instanceof PerchError) || error.status >= 500;
          throw error;
        }
      },
      mayRepeat && body?.isRepeatable !== false ? (this.#options.retry ?? {}) : { attempts: 1 },
      signal,
    );
  }

  async #sendOnce<T>(request: OutgoingRequest, headers: Headers, read: Reader<T>): Promise<T> {
    const { method, address, body, signal, redirect, expected = [] } = request;
    const url = this.origin + address;
    signal?.throwIfAborted();
    const stall = new StallTimer(this.#options.timeoutMs ?? 60_000);
    try {
      const payload = await body?.open((progress) => {
        stall.restart(IN_BROWSER ? LONGEST_UPLOAD_MS : undefined);
        request.onProgress?.(progress);
      });
      const init: SentRequest & { duplex?: 'half' } = {
        method: method.toUpperCase(),
        headers,
        signal: signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]),
        ...(payload === undefined ? {} : { body: payload }),
        ...(payload instanceof ReadableStream ? { duplex: 'half' } : {}),
      };
      const { fetch: send = fetch } = this.#options;
      const sendBy = method === 'get' || method === 'head' ? sendRead : sendChange;
      const response =
        redirect === 'manual'
          ? await send(url, { ...init, redirect })
          : await sendBy(send, this.origin, address, init);
      if (response.ok || expected.includes(response.status))
        return await read(response, () => stall.restart());
      throw await PerchError.from(response);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof PerchError) throw error;
      throw new PerchConnectionError(url, stall.signal.aborted ? stall.signal.reason : error);
    } finally {
      stall.stop();
    }
  }

  #headersOf({ headers = {}, body, ownerToken, password }: OutgoingRequest): Headers {
    const sent = new Headers();
    const set = (name: string, value: string | undefined): void => {
      if (value !== undefined) sent.set(name, headerValue(name, value));
    };
    set('Content-Type', body?.contentType);
    set('X-Owner-Token', ownerToken ?? this.#options.ownerToken);
    set('X-Password', password);
    if (!IN_BROWSER) set('User-Agent', this.#options.userAgent ?? 'perch-client/0.1');
    for (const [name, value] of Object.entries(headers)) set(name, value);
    return sent;
  }
}

/**
 * A header's value as the service reads it: characters beyond ASCII as the bytes of their UTF-8.
 * @throws TypeError, without the value: it may be a secret
 */
function headerValue(name: string, text: string): string {
  const value = String.fromCharCode(...new TextEncoder().encode(text));
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError(`${name} has a control character, which no header can carry.`);
  return value;
}

/** Aborts when it was not restarted for a while. */
class StallTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(ms = this.#ms): void {
    clearTimeout(this.#timer);
    const reason = new Error(`nothing happened for ${Math.round(ms / 1000)} seconds`);
    this.#timer = setTimeout(() => this.#controller.abort(reason), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Reads an answer. A reader that takes its body calls `onProgress` with each piece of it. */
type Reader<T> = (response: Response, onProgress: () => void) => Promise<T>;

async function receive(response: Response, onProgress: () => void): Promise<Received> {
  const { status, headers, url } = response;
  const noting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, pieces) {
      onProgress();
      pieces.enqueue(piece);
    },
  });
  const body = response.body?.pipeThrough(noting) ?? null;
  return { status, headers, url, bytes: new Uint8Array(await new Response(body).arrayBuffer()) };
}

/** Bytes of an answer as text, with a byte order mark where it has one. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

const isStatus = (error: unknown, status: number): error is PerchError =>
  error instanceof PerchError && error.status === status;
