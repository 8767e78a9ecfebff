import { open } from 'node:fs/promises';
import { end64, extraField, localHeader, packNumbers, writeZip } from './zip-writer.ts';

const UNSET = 0xffffffff;
const HOLE = 4_500_000_000;

/** A sound archive of one page behind a skipped file of 4.5 GB, which is a hole in the file and takes no disk. */
export async function writeBeyond4GB(path: string): Promise<void> {
  const sizes = extraField(1, packNumbers([HOLE, 8], [HOLE, 8]));
  const pack = {
    name: '.pack',
    flags: 0x800,
    method: 0,
    crc: 0,
    size: UNSET,
    compressedSize: UNSET,
    extra: sizes,
  };
  const head = localHeader(pack);
  const shift = head.length + HOLE;
  const index = { name: 'index.html', data: '<p>Far out.' };
  const entries = [
    { ...index, central: { offset: UNSET, extra: extraField(1, packNumbers([shift, 8])) } },
    { ...pack, listedOnly: true, central: { offset: 0 } },
  ];
  const plain = writeZip(entries);
  const directorySize = plain.readUInt32LE(plain.length - 10);
  const directoryOffset = shift + plain.readUInt32LE(plain.length - 6);
  const before = end64(directoryOffset + directorySize, { entries: 2, directorySize, directoryOffset });
  const tail = writeZip(entries, { directoryOffset: UNSET, before });
  const file = await open(path, 'wx');
  try {
    await file.write(head, 0, head.length, 0);
    await file.write(tail, 0, tail.length, shift);
  } finally {
    await file.close();
  }
}
