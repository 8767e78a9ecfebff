import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ClientOptions } from 'minio';
import { errorCode } from '../../error-code.ts';

/** The HTTP transport of the S3 client. */
type S3Transport = NonNullable<ClientOptions['transport']>;

/**
 * HTTP for the S3 client that gives its sockets back: the client itself knows no timeout, and leaves the answers of a
 * server in trouble unread. Each would hold a socket of the agent until none is left.
 * @param limitOf milliseconds in which the answer to a request must begin
 */
export function createS3Transport(
  secure: boolean,
  limitOf: (request: RequestOptions) => number,
): S3Transport {
  const request = secure ? requestHttps : requestHttp;
  const ask = (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest => {
    const limitMs = limitOf(options);
    const asked = request(options, (response) => {
      clearTimeout(limit);
      if (isDropped(response.statusCode ?? 0)) response.resume();
      onResponse(response);
    });
    const limit = setTimeout(() => {
      asked.destroy(new Error(`no answer in ${limitMs} ms`));
    }, limitMs);
    asked.once('close', () => clearTimeout(limit));
    return asked;
  };
  // The client uses this one of the overloads of Node's `request`.
  return { request: ask as S3Transport['request'] };
}

/** Statuses at which the client throws without reading the body (`retryHttpCodes` in its request.ts). */
const isDropped = (status: number): boolean => [408, 429, 499, 500, 502, 503, 504, 520].includes(status);

/** Error codes of a request whose connection was closed. */
const LOST = new Set<unknown>(['ECONNRESET', 'EPIPE']);

/** Times that a request is sent: those that wait beside it may have been closed at the same moment. */
const SENDS = 3;

/**
 * Sends a request again when its connection was lost. A server closes connections that wait whenever it likes, also
 * while a request is on its way (RFC 9112, section 9.3.1). Only for what may arrive twice.
 * @param limitMs how long somebody waits for the answer; later, it is not sent again
 */
export async function resendIfLost<T>(send: () => Promise<T>, limitMs: number): Promise<T> {
  const deadline = performance.now() + limitMs;
  for (let sent = 1; ; sent++) {
    try {
      return await send();
    } catch (error) {
      if (sent === SENDS || performance.now() > deadline || !isLost(error)) throw error;
    }
  }
}

const isLost = (error: unknown): boolean => LOST.has(errorCode(error) ?? '');
