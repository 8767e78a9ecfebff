import { zipSync } from 'fflate';

const MB = 1_048_576;
const UNPACKED_BYTES = 60 * MB;
const DECLARED_BYTES = 1_000;

const PAGE = new TextEncoder().encode('<!doctype html><title>Bomb</title>');

/** Where a ZIP says how long an entry is unpacked: in its local header, and in its record of the directory. */
const LENGTHS = [
  { signature: 0x04034b50, at: 22 },
  { signature: 0x02014b50, at: 24 },
];

/** 60 MB of zeros in 60 KB, whose directory says so. */
export const honestBomb = (): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(zipSync({ 'index.html': PAGE, 'bomb.txt': new Uint8Array(UNPACKED_BYTES) }));

/** The bomb with a directory that says it unpacks to a thousand bytes. */
export function lyingBomb(): Uint8Array<ArrayBuffer> {
  const bytes = honestBomb();
  const view = new DataView(bytes.buffer);
  for (let start = 0; start < bytes.length - 28; start++)
    for (const { signature, at } of LENGTHS)
      if (view.getUint32(start, true) === signature && view.getUint32(start + at, true) === UNPACKED_BYTES)
        view.setUint32(start + at, DECLARED_BYTES, true);
  return bytes;
}
