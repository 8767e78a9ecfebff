/** A record of the journal: the bytes of a blob, or `null` when it was removed. */
export interface JournalRecord {
  key: string;
  bytes: Uint8Array | null;
}

const PUT = 1;
const REMOVAL = 2;

/** Kind and length of the key, one byte each, the size in four, a checksum in eight. */
const HEAD_BYTES = 14;
const CHECKED_FROM = 6;

const NOTHING = new Uint8Array(0);

/** The buffers of a record, in the order in which they are written. */
export function encodeRecord({ key, bytes }: JournalRecord): [head: Uint8Array, body: Uint8Array] {
  const body = bytes ?? NOTHING;
  const head = Buffer.alloc(HEAD_BYTES + key.length);
  head.writeUInt8(bytes === null ? REMOVAL : PUT, 0);
  head.writeUInt8(key.length, 1);
  head.writeUInt32LE(body.length, 2);
  head.write(key, HEAD_BYTES, 'latin1');
  head.writeBigUInt64LE(checksumOf(head, body), CHECKED_FROM);
  return [head, body];
}

/**
 * The records of a segment up to the first that is not whole: a crash left it, so nobody was told that it is kept. Zeros behind the
 * last record are none.
 */
export function* readRecords(segment: Buffer): Generator<JournalRecord> {
  let position = 0;
  while (position + HEAD_BYTES <= segment.length) {
    const kind = segment.readUInt8(position);
    if (kind !== PUT && kind !== REMOVAL) return;
    const bodyFrom = position + HEAD_BYTES + segment.readUInt8(position + 1);
    const end = bodyFrom + segment.readUInt32LE(position + 2);
    if (end > segment.length) return;
    const head = segment.subarray(position, bodyFrom);
    const body = segment.subarray(bodyFrom, end);
    if (head.readBigUInt64LE(CHECKED_FROM) !== checksumOf(head, body)) return;
    yield {
      key: head.toString('latin1', HEAD_BYTES),
      bytes: kind === PUT ? body : null,
    };
    position = end;
  }
}

/** Over all but the checksum's own place. */
function checksumOf(head: Uint8Array, body: Uint8Array): bigint {
  const { xxHash64 } = Bun.hash;
  return xxHash64(body, xxHash64(head.subarray(HEAD_BYTES), xxHash64(head.subarray(0, CHECKED_FROM))));
}
