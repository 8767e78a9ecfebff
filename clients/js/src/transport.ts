import { open, type Reader, type Received, receive, textOf } from './answers.ts';
import {
  noPerchError,
  PerchConnectionError,
  PerchContentError,
  PerchError,
  PerchUncertainError,
} from './errors.ts';
import type { Method } from './operation.ts';
import { type Fetch, type SentRequest, sendChange, sendRead } from './redirects.ts';
import { type RetryOptions, retrying } from './retry.ts';
import { longestUploadMs, StallTimer } from './stall-timer.ts';
import { IN_BROWSER, type Progress, type UploadBody } from './upload-body.ts';

export interface TransportOptions {
  /** Where the Perch is, such as `https://perch.example.org`; with user and password where a proxy asks for them. */
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

/** A copy of the URL. The message is without it: it may have a password. */
function serverUrl(given: string | URL): URL {
  const text = String(given);
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new TypeError('The url is no address of a Perch: it is like https://perch.example.org.');
  return url;
}

/** Sends requests to one Perch, again where that may help. */
export class Transport {
  /** The server's address, without the user and password that it may have been given with. */
  readonly origin: string;
  readonly #authorization: string | undefined;
  readonly #options: TransportOptions;

  /** @throws TypeError for a URL that is none of a server */
  constructor(options: TransportOptions) {
    const url = serverUrl(options.url);
    this.#authorization = authorizationOf(url);
    url.username = '';
    url.password = '';
    this.origin = url.href.replace(/\/+$/, '');
    this.#options = options;
  }

  /** The whole answer of a success or of an expected status; everything else is thrown. */
  send(request: OutgoingRequest): Promise<Received> {
    return this.#attempt(request, receive);
  }

  /** Sends a request and returns the answer with its body unread. While the caller reads it, it may not stall either. */
  stream(request: OutgoingRequest): Promise<Response> {
    return this.#attempt(request, open);
  }

  /**
   * Removes something.
   * @throws PerchConnectionError for another success than the one of a Perch
   */
  async remove(request: Omit<OutgoingRequest, 'method'>): Promise<void> {
    const { status, url } = await this.send({ ...request, method: 'delete' });
    if (status !== 204) throw noPerchError(url || this.origin);
  }

  async json<T>(request: OutgoingRequest): Promise<T> {
    const { bytes, url } = await this.send(request);
    const answer = parsed(textOf(bytes));
    if (answer === null || typeof answer !== 'object') throw noPerchError(url || this.origin);
    return answer as T;
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
            return read(new Response(null, { status: 204 }), AT_ONCE, () => error);
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
    const { timeoutMs = 60_000, fetch: send = fetch } = this.#options;
    const stall = new StallTimer(timeoutMs);
    let unread: PerchContentError | null = null;
    const failureOf = (error: unknown): unknown => {
      if (signal?.aborted) return signal.reason;
      if (error instanceof PerchError || error instanceof PerchContentError) return error;
      if (unread !== null) return unread;
      return new PerchConnectionError(url, stall.signal.aborted ? stall.signal.reason : error);
    };
    let hasEnded = false;
    try {
      const payload = await body?.open(
        (progress) => {
          // `fetch` of Node.js may go on with the body after the answer has come.
          if (hasEnded) return;
          stall.restart(IN_BROWSER ? longestUploadMs(timeoutMs, progress.totalBytes) : undefined);
          request.onProgress?.(progress);
        },
        (error) => {
          unread = error;
        },
      );
      const init: SentRequest & { duplex?: 'half' } = {
        method: method.toUpperCase(),
        headers,
        signal: signal === undefined ? stall.signal : AbortSignal.any([signal, stall.signal]),
        ...(payload === undefined ? {} : { body: payload }),
        ...(payload instanceof ReadableStream ? { duplex: 'half' } : {}),
      };
      const sendBy = method === 'get' || method === 'head' ? sendRead : sendChange;
      const response =
        redirect === 'manual'
          ? await send(url, { ...init, redirect })
          : await sendBy(send, this.origin, address, init);
      if (response.ok || expected.includes(response.status)) return await read(response, stall, failureOf);
      throw await PerchError.from(response);
    } catch (error) {
      throw failureOf(error);
    } finally {
      hasEnded = true;
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
    set('Authorization', this.#authorization);
    if (!IN_BROWSER) set('User-Agent', this.#options.userAgent ?? 'perch-client/0.1');
    for (const [name, value] of Object.entries(headers)) set(name, value);
    return sent;
  }
}

/** The header for the user and password of a URL, as a proxy may ask for them: `fetch` takes no such URL. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/**
 * A header's value as the service reads it: without white space at its ends, such as the end of a file's line, and characters
 * beyond ASCII as the bytes of their UTF-8.
 * @throws TypeError, without the value: it may be a secret
 */
function headerValue(name: string, text: string): string {
  const trimmed = text.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  const value = String.fromCharCode(...new TextEncoder().encode(trimmed));
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TypeError(`${name} has a control character, which no header can carry.`);
  return value;
}

/** `null` for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Of an answer without a body. */
const AT_ONCE = { restart: () => undefined, stop: () => undefined };

const isStatus = (error: unknown, status: number): error is PerchError =>
  error instanceof PerchError && error.status === status;
