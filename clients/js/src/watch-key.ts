import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { isEventStream, textOf } from './answers.ts';
import { PerchError } from './errors.ts';
import { memberText } from './member-text.ts';
import { sleep } from './retry.ts';
import type { CallOptions, Transport } from './transport.ts';

export interface LiveValue<T> {
  value: T;
  /** The value as JSON text, with digits that a number of JavaScript would lose. */
  valueText: string;
  /** Another number with each write. */
  version: number;
}

export interface WatchOptions extends CallOptions {
  /** How often to ask a server that does not tell by itself, in ms; 2000 when left out. */
  intervalMs?: number | undefined;
}

interface WatchedKey extends CallOptions {
  address: string;
}

/** The last version that was seen: the id of its event, or its ETag. */
interface Seen {
  version: number | null;
  etag: string | null;
}

/** How long to wait before asking again after a stream that ended, in ms. */
const RECONNECT_MS = 1_000;

/**
 * Follows a key by server-sent events where the server offers them, else by asking with `If-None-Match`. Values that were
 * replaced between two looks are not seen, the latest always is. Ends when the key is gone after it was there.
 */
export async function* watchKey<T>(
  transport: Transport,
  key: WatchedKey,
  { intervalMs = 2_000 }: WatchOptions,
): AsyncGenerator<LiveValue<T>, void> {
  const seen: Seen = { version: null, etag: null };
  while (!key.signal?.aborted) {
    const response = await ask(transport, key, seen);
    if (response === null) return;
    const isStream = isEventStream(response);
    const isEnded = isStream ? yield* valuesOf<T>(response, key, seen) : yield* newValueOf<T>(response, seen);
    if (isEnded) return;
    await sleep(isStream ? RECONNECT_MS : intervalMs, key.signal).catch(() => undefined);
  }
}

/** `null`: the watcher has stopped, or the key is gone. */
async function ask(
  transport: Transport,
  { address, ...call }: WatchedKey,
  seen: Seen,
): Promise<Response | null> {
  const headers = {
    Accept: 'text/event-stream, application/json;q=0.5',
    'If-None-Match': seen.etag ?? undefined,
    'Last-Event-ID': seen.version === null ? undefined : String(seen.version),
  };
  try {
    return await transport.stream({ method: 'get', address, headers, expected: [304], ...call });
  } catch (error) {
    if (call.signal?.aborted || (seen.version !== null && isGone(error))) return null;
    throw error;
  }
}

/** The one value of a plain answer, if it is new. */
async function* newValueOf<T>(response: Response, seen: Seen): AsyncGenerator<LiveValue<T>, boolean> {
  const text = textOf(new Uint8Array(await response.arrayBuffer()));
  if (response.status === 304) return false;
  const { value, version } = JSON.parse(text) as Omit<LiveValue<T>, 'valueText'>;
  const isNew = version !== seen.version;
  seen.version = version;
  seen.etag = response.headers.get('ETag');
  if (isNew) yield { value, valueText: memberText(text, 'value'), version };
  return false;
}

/** The values of a stream, until it ends: for good, or because the connection broke. */
async function* valuesOf<T>(
  { body }: Response,
  { signal }: WatchedKey,
  seen: Seen,
): AsyncGenerator<LiveValue<T>, boolean> {
  if (body === null) return false;
  const events = eventsOf(body);
  try {
    for (;;) {
      const next = await events.next().catch(() => null);
      if (signal?.aborted) return true;
      if (next === null || next.done) return false;
      const { event, id, data } = next.value;
      if (event === 'gone') return true;
      const version = Number(id);
      if (version === seen.version) continue;
      seen.version = version;
      yield { value: JSON.parse(data) as T, valueText: data, version };
    }
  } finally {
    await events.return(undefined);
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof PerchError && (error.status === 404 || error.status === 410);

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
