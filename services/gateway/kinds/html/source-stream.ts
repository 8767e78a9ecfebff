/**
 * The JSON of a record and, as its last field `content`, of a text whose bytes come in pieces. Holds a piece at a time, and
 * reads on only when more is asked for.
 */
export function sourceStream(record: object, source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = source.getReader();
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const end = '"}';

  /** The next of it that is not empty. */
  const nextPiece = async (): Promise<string | null> => {
    for (;;) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      if (text !== '') return escaped(text);
      if (done) return null;
    }
  };

  return new ReadableStream(
    {
      start(controller) {
        const empty = JSON.stringify({ ...record, content: '' });
        controller.enqueue(encoder.encode(empty.slice(0, -end.length)));
      },
      async pull(controller) {
        const piece = await nextPiece();
        controller.enqueue(encoder.encode(piece ?? end));
        if (piece === null) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** As it stands between the quotes of a JSON string; no character is divided between two pieces. */
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);
