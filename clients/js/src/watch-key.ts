import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isEventStream, textOf } from './answers.ts';
import { noPerchError, PerchConnectionError, PerchError } from './errors.ts';
import { memberText } from './member-text.ts';
import { delayAfter, sleep } from './retry.ts';
import type { CallOptions, Transport } from './transport.ts';

export interface LiveValue<T> {
  value: T;
  /** The value as JSON text, with digits that a number of JavaScript would lose. */
  valueText: string;
  /** How many values the key has had; one that was removed and written again begins at 1. */
  version: number;
}

export interface WatchOptions extends CallOptions {
  /** How often to ask a server that does not tell by itself, in ms; 2000 when left out. */
  intervalMs?: number | undefined;
}

interface WatchedKey extends CallOptions {
  address: string;
}

/** The last value that was seen; all of it is `null` before the first one, its ETag also after an event, its id after a plain answer. */
interface Seen {
  /** That of its event. */
  id: string | null;
  version: number | null;
  valueText: string | null;
  etag: string | null;
}

/** How long to wait before asking again after a stream that ended, in ms. */
const RECONNECT_MS = 1_000;

/** The longest wait that an outage leads to by itself, in ms. */
const MAX_WAIT_MS = 30_000;

/**
 * Follows a key by server-sent events where the server offers them, else by asking with `If-None-Match`. Values that were
 * replaced between two looks are not seen, the latest always is. Once there was a value the watch outlasts every outage. The
 * generator ends when the key is gone.
 */
export async function* watchKey<T>(
  transport: Transport,
  key: WatchedKey,
  { intervalMs = 2_000 }: WatchOptions,
): AsyncGenerator<LiveValue<T>, void> {
  const seen: Seen = { id: null, version: null, valueText: null, etag: null };
  let failures = 0;
  while (!key.signal?.aborted) {
    let wait = intervalMs;
    try {
      const response = await ask(transport, key, seen);
      if (isEventStream(response)) {
        if (yield* valuesOf<T>(transport, response, key, seen)) return;
        wait = RECONNECT_MS;
      } else {
        const value = await newValueOf<T>(transport, response, seen);
        if (value !== null) yield value;
      }
      failures = 0;
    } catch (error) {
      if (key.signal?.aborted || (seen.version !== null && isGone(error))) return;
      if (seen.version === null || !isOutage(error)) throw error;
      failures += 1;
      wait = delayAfter(error, failures, MAX_WAIT_MS);
    }
    await sleep(wait, key.signal).catch(() => undefined);
  }
}

function ask(transport: Transport, { address, ...call }: WatchedKey, seen: Seen): Promise<Response> {
  const headers = {
    Accept: 'text/event-stream, application/json;q=0.5',
    'If-None-Match': seen.etag ?? undefined,
    'Last-Event-ID': seen.id ?? undefined,
  };
  return transport.stream({ method: 'get', address, headers, expected: [304], ...call });
}

/** The value of a plain answer; `null`: it is the one that was seen. Of a key that was made again its version may be the same. */
async function newValueOf<T>(
  transport: Transport,
  response: Response,
  seen: Seen,
): Promise<LiveValue<T> | null> {
  const text = textOf(new Uint8Array(await response.arrayBuffer()));
  if (response.status === 304) return null;
  const { value, version, valueText } = readAs(transport, () => ({
    ...(JSON.parse(text) as { value: T; version: number }),
    valueText: memberText(text, 'value'),
  }));
  const etag = response.headers.get('ETag');
  const isSeen = version === seen.version && valueText === seen.valueText && (seen.etag ?? etag) === etag;
  Object.assign(seen, { id: null, version, valueText, etag });
  return isSeen ? null : { value, valueText, version };
}

/** The values of a stream, until it ends: for good, or because the connection broke. */
async function* valuesOf<T>(
  transport: Transport,
  { body }: Response,
  { signal }: WatchedKey,
  seen: Seen,
): AsyncGenerator<LiveValue<T>, boolean> {
  if (body === null) return false;
  const events = eventsOf(body);
  let isFirst = true;
  try {
    for (;;) {
      const next = await events.next().catch(() => null);
      if (signal?.aborted) return true;
      if (next === null || next.done) return false;
      const { event, id = '', data } = next.value;
      if (event === 'gone') return true;
      // Behind the version is a number of the value's own, so that no id is given twice.
      const version = Number.parseInt(id, 10);
      const value = readAs(transport, () => JSON.parse(data) as T);
      // A stream begins with the value now, which the one before may have told.
      const isSeen = isFirst && (seen.id ?? id) === id && version === seen.version && data === seen.valueText;
      isFirst = false;
      Object.assign(seen, { id, version, valueText: data, etag: null });
      if (!isSeen) yield { value, valueText: data, version };
    }
  } finally {
    await events.return(undefined);
  }
}

/** @throws PerchConnectionError for an answer that is none of a Perch, such as a proxy's page */
function readAs<R>(transport: Transport, read: () => R): R {
  try {
    return read();
  } catch {
    throw noPerchError(transport.origin);
  }
}

/** Whether the server may be back later: no answer, or one that says that it cannot answer now. */
const isOutage = (error: unknown): boolean =>
  error instanceof PerchConnectionError ||
  (error instanceof PerchError && (error.status === 429 || error.status >= 500 || isMissing(error)));

/** Whether the service itself says so: a proxy that has lost its way to the service answers with 404 as well. */
const isGone = (error: unknown): boolean =>
  error instanceof PerchError && isMissing(error) && error.code !== null;

const isMissing = ({ status }: PerchError): boolean => status === 404 || status === 410;

/** The service sends something each 15 seconds; a connection that is silent for so many ms is broken. */
const SILENCE_MS = 45_000;

/** The events of a `text/event-stream` answer, until it ends or falls silent. Its comments are passed over. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<EventSourceMessage, undefined> {
  const waiting: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => waiting.push(event) });
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const listen = (): void => {
    clearTimeout(silence);
    silence = setTimeout(() => void reader.cancel().catch(() => undefined), SILENCE_MS);
  };
  try {
    listen();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      listen();
      parser.feed(decoder.decode(read.value, { stream: true }));
      yield* waiting.splice(0);
    }
  } finally {
    clearTimeout(silence);
    await reader.cancel().catch(() => undefined);
  }
}
