import {
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { ClientOptions } from 'minio';

/** The HTTP transport of the S3 client. */
export type S3Transport = NonNullable<ClientOptions['transport']>;

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
  // Of the overloads of Node's `request` the client uses this one.
  return { request: ask as S3Transport['request'] };
}

/** Statuses at which the client throws without reading the body (`retryHttpCodes` in its request.ts). */
const isDropped = (status: number): boolean => [408, 429, 499, 500, 502, 503, 504, 520].includes(status);
