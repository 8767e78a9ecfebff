import { PerchContentError } from './errors.ts';

/** The content of an upload. A stream can be sent only once, so a failed upload of one is not retried. */
export type UploadSource = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array<ArrayBuffer>>;

export interface Progress {
  sentBytes: number;
  /** `null`: the length of a stream is not known. */
  totalBytes: number | null;
}

/** A request body that is made anew for each attempt. */
export interface UploadBody {
  contentType: string;
  isRepeatable: boolean;
  totalBytes: number | null;
  /**
   * @param onUnread called when a stream of it ends because the content cannot be read; `fetch` does not pass the reason on
   * @throws PerchContentError
   */
  open(
    onProgress: (progress: Progress) => void,
    onUnread: (error: PerchContentError) => void,
  ): Promise<Blob | ReadableStream<Uint8Array>>;
}

/** Below this many bytes a body is sent in one piece, with its length. */
const SMALL = 65_536;

/** A body of pieces, one after the other. */
export function bodyOf(pieces: UploadSource[], contentType: string): UploadBody {
  const sizes = pieces.map(sizeOf);
  const totalBytes = sizes.some((size) => size === null)
    ? null
    : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const isRepeatable = totalBytes !== null;
  const open: UploadBody['open'] = async (onProgress, onUnread) => {
    // Browsers stream over HTTP/2 only, but read a Blob piece by piece.
    if (!IN_BROWSER && (totalBytes === null || totalBytes > SMALL))
      return streamOf(pieces, (sentBytes) => onProgress({ sentBytes, totalBytes }), onUnread);
    const blob = new Blob(await Promise.all(pieces.map(toBlobPart)));
    onProgress({ sentBytes: 0, totalBytes: blob.size });
    return blob;
  };
  return { contentType, isRepeatable, totalBytes, open };
}

export interface FormPart {
  name: string;
  /** Name of a file; `null` for a plain field. */
  filename: string | null;
  content: UploadSource;
}

/** A `multipart/form-data` body; its files are read while they are sent. */
export function formOf(parts: FormPart[]): UploadBody {
  const boundary = `perch-${randomKey()}`;
  const pieces = parts.flatMap(({ name, filename, content }): UploadSource[] => {
    const file = filename === null ? '' : `; filename="${escaped(filename)}"`;
    const type = filename === null ? '' : `Content-Type: ${typeOf(content)}\r\n`;
    return [
      `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(name)}"${file}\r\n${type}\r\n`,
      ...[content, '\r\n'],
    ];
  });
  return bodyOf([...pieces, `--${boundary}--\r\n`], `multipart/form-data; boundary=${boundary}`);
}

/** A key that nobody guesses, also where `crypto.randomUUID` is missing: in pages that came over plain HTTP. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A name as browsers write it in forms (HTML, 4.10.21.8). */
const escaped = (name: string): string =>
  name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');

const typeOf = (content: UploadSource): string =>
  content instanceof Blob && content.type !== '' ? content.type : 'application/octet-stream';

function sizeOf(piece: UploadSource): number | null {
  if (typeof piece === 'string') return new TextEncoder().encode(piece).byteLength;
  if (piece instanceof Uint8Array) return piece.byteLength;
  return piece instanceof Blob ? piece.size : null;
}

/** A Blob of Bun that is made of a file's Blob would be empty: outside of browsers such a part is read. */
const toBlobPart = async (
  piece: UploadSource,
): Promise<string | Uint8Array<ArrayBuffer> | ArrayBuffer | Blob> => {
  try {
    if (piece instanceof ReadableStream) return await new Response(piece).blob();
    return piece instanceof Blob && !IN_BROWSER ? await piece.arrayBuffer() : piece;
  } catch (error) {
    throw new PerchContentError(piece, error);
  }
};

function streamOf(
  pieces: UploadSource[],
  onSent: (bytes: number) => void,
  onUnread: (error: PerchContentError) => void,
): ReadableStream<Uint8Array> {
  const chunks = chunksOf(pieces, onSent);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        if (error instanceof PerchContentError) onUnread(error);
        throw error;
      }
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

async function* chunksOf(
  pieces: UploadSource[],
  onSent: (bytes: number) => void,
): AsyncGenerator<Uint8Array, undefined> {
  let sent = 0;
  for (const piece of pieces)
    for await (const chunk of chunksOfPiece(piece)) {
      yield chunk;
      sent += chunk.byteLength;
      onSent(sent);
    }
}

async function* chunksOfPiece(piece: UploadSource): AsyncGenerator<Uint8Array, undefined> {
  if (typeof piece === 'string') yield new TextEncoder().encode(piece);
  else if (piece instanceof Uint8Array) yield piece;
  else {
    try {
      // A Blob of a file that is gone fails in Bun when its stream is made.
      const reader = (piece instanceof Blob ? piece.stream() : piece).getReader();
      try {
        for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
      } finally {
        await reader.cancel().catch(() => undefined);
      }
    } catch (error) {
      throw new PerchContentError(piece, error);
    }
  }
}

/** Whether this is a page or a worker of a browser, where the browser names the client and sends bodies its own way. */
export const IN_BROWSER =
  'document' in globalThis || ('WorkerGlobalScope' in globalThis && !('Deno' in globalThis));
