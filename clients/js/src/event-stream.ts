import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** The service sends something each 15 seconds; a connection that is silent for so many ms is broken. */
const SILENCE_MS = 45_000;

/** The events of a `text/event-stream` answer, until it ends or falls silent. Its comments are passed over. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<EventSourceMessage, undefined> {
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
