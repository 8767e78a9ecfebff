import { bytes, uint32, zeros } from '../hostile/bytes.ts';

const uint16 = (...values: number[]): Uint8Array =>
  Uint8Array.from(values.flatMap((value) => [(value >> 8) & 255, value & 255]));

const EM = 1000;
const ASCENT = 800;
const DESCENT = 200;
const LETTER = 0x41;

/** A box of the height of the ascent: four corners, each told by its distance from the one before. */
const box = bytes(
  uint16(1, 0, 0, EM, ASCENT, 3, 0),
  [1, 1, 1, 1],
  uint16(0, EM, 0, -EM, 0, 0, ASCENT, 0),
  zeros(2),
);

/** The tables that browsers require of a font, by name (OpenType specification, "Font tables"). */
const TABLES: Record<string, Uint8Array> = {
  'OS/2': bytes(
    uint16(0, EM, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 260, 0),
    ...[zeros(26), 'NONE', uint16(0x40, LETTER, LETTER, ASCENT, -DESCENT, 0, ASCENT, DESCENT)],
  ),
  cmap: bytes(
    ...[uint16(0, 1, 3, 1), uint32(12), uint16(4, 32, 0, 4, 4, 1, 0)],
    uint16(LETTER, 0xffff, 0, LETTER, 0xffff, 1 - LETTER, 1, 0, 0),
  ),
  glyf: box,
  head: bytes(
    ...[uint32(0x10000), uint32(0x10000), zeros(4), uint32(0x5f0f3cf5), uint16(3, EM), zeros(16)],
    uint16(0, 0, EM, ASCENT, 0, 8, 2, 0, 0),
  ),
  hhea: bytes(uint32(0x10000), uint16(ASCENT, -DESCENT, 0, EM, 0, 0, EM, 1), zeros(14), uint16(2)),
  hmtx: uint16(EM, 0, EM, 0),
  loca: uint16(0, 0, box.length / 2),
  maxp: bytes(uint32(0x10000), uint16(2, 4, 1, 0, 0, 1), zeros(16)),
  name: bytes(uint16(0, 1, 18, 3, 1, 0x409, 1, 10, 0), [0, 0x50, 0, 0x65, 0, 0x72, 0, 0x63, 0, 0x68]),
  post: bytes(uint32(0x30000), zeros(28)),
};

/** A TrueType font in which an A is a box as wide as the type is high. */
export function font(): Uint8Array {
  const names = Object.keys(TABLES);
  let offset = 12 + names.length * 16;
  const directory: Uint8Array[] = [];
  const contents: Uint8Array[] = [];
  for (const name of names) {
    const table = TABLES[name] ?? zeros(0);
    const padded = bytes(table, zeros(-table.length & 3));
    directory.push(bytes(name, zeros(4), uint32(offset), uint32(table.length)));
    contents.push(padded);
    offset += padded.length;
  }
  return bytes(uint32(0x10000), uint16(names.length, 128, 3, 32), ...directory, ...contents);
}
