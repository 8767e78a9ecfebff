/** An answer that has come as a whole. */
export interface Received {
  status: number;
  headers: Headers;
  /** Where it came from, after redirects. */
  url: string;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Watches that an answer goes on: it runs while a piece of its body is waited for. */
export interface Pace {
  restart(): void;
  stop(): void;
}

/**
 * Reads an answer.
 * @param failureOf the error to throw for one of the runtime
 */
export type Reader<T> = (
  response: Response,
  pace: Pace,
  failureOf: (error: unknown) => unknown,
) => Promise<T>;

/** Takes the whole body. */
export async function receive(response: Response, pace: Pace): Promise<Received> {
  const { status, headers, url } = response;
  const noting = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, pieces) {
      pace.restart();
      pieces.enqueue(piece);
    },
  });
  const body = response.body?.pipeThrough(noting) ?? null;
  return { status, headers, url, bytes: new Uint8Array(await new Response(body).arrayBuffer()) };
}

/** Leaves the body to the caller: who reads it meets the same time limit between its pieces, and the same errors, as in `receive`. */
export async function open(
  response: Response,
  pace: Pace,
  failureOf: (error: unknown) => unknown,
): Promise<Response> {
  const { body, status, statusText, headers, url } = response;
  // Events may be far apart: their reader has a limit of its own.
  if (body === null || !response.ok || isEventStream(response)) return response;
  const reader = body.getReader();
  const watched = new ReadableStream<Uint8Array>(
    {
      async pull(pieces) {
        pace.restart();
        try {
          const { done, value } = await reader.read();
          if (done) pieces.close();
          else pieces.enqueue(value);
        } catch (error) {
          pieces.error(failureOf(error));
        } finally {
          pace.stop();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    // A piece is asked for when the reader wants one: a slow reader is no stalled server.
    { highWaterMark: 0 },
  );
  const opened = new Response(watched, { status, statusText, headers });
  return Object.defineProperty(opened, 'url', { value: url });
}

export const isEventStream = ({ headers }: Response): boolean =>
  headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;

/** Bytes of an answer as text, with a byte order mark where it has one. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
