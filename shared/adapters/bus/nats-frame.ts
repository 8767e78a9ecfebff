/** One of several requests, or replies, that travel in one message. */
export interface Part {
  /** The index of the request in its message; a reply has the index of its request. */
  index: number;
  bytes: Uint8Array;
}

/** Header of a part: its index and its length, four bytes each, big-endian. */
const HEAD_BYTES = 8;

/** Size of a part in a frame, in bytes. */
export const framedSize = ({ bytes }: Pick<Part, 'bytes'>): number => HEAD_BYTES + bytes.length;

/** Puts parts one behind the other. */
export function encodeFrame(parts: readonly Part[]): Uint8Array {
  const frame = Buffer.allocUnsafe(parts.reduce((size, part) => size + framedSize(part), 0));
  let at = 0;
  for (const part of parts) {
    frame.writeUInt32BE(part.index, at);
    frame.writeUInt32BE(part.bytes.length, at + 4);
    frame.set(part.bytes, at + HEAD_BYTES);
    at += framedSize(part);
  }
  return frame;
}

/** The parts of a frame, on its own memory. @throws RangeError for what is no frame */
export function decodeFrame(bytes: Uint8Array): Part[] {
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: Part[] = [];
  for (let at = 0; at < frame.length; ) {
    const start = at + HEAD_BYTES;
    const end = start + frame.readUInt32BE(at + 4);
    if (end > frame.length) throw new RangeError('a frame ends within a part');
    parts.push({ index: frame.readUInt32BE(at), bytes: frame.subarray(start, end) });
    at = end;
  }
  return parts;
}

/** Cuts parts into runs, in order, each of at most so many parts and, framed, bytes; one that is larger is alone. */
export function cutIntoFrames<P extends Pick<Part, 'bytes'>>(
  parts: readonly P[],
  max: { parts: number; bytes: number },
): P[][] {
  const runs: P[][] = [];
  let run: P[] = [];
  let size = 0;
  for (const part of parts) {
    if (run.length > 0 && (run.length >= max.parts || size + framedSize(part) > max.bytes)) {
      runs.push(run);
      run = [];
      size = 0;
    }
    run.push(part);
    size += framedSize(part);
  }
  if (run.length > 0) runs.push(run);
  return runs;
}
