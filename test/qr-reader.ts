import { readFile } from 'node:fs/promises';
import { stripVTControlCharacters } from 'node:util';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';

/** Pixels of a module of a code that is drawn here. */
const SCALE = 4;

let isLoaded = false;

/** Pixels in RGBA. */
export interface Pixels {
  data: Uint8ClampedArray;
  width: number;
  height: number;
}

/** The texts of the QR codes in a PNG, or in pixels, as ZXing reads them: not the library that draws them. */
export async function readQrCodes(picture: Uint8Array | Pixels): Promise<string[]> {
  if (!isLoaded) {
    // Else it would be fetched from a server.
    const file = new URL(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
    const wasmBinary = new Uint8Array(await readFile(file)).buffer;
    await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
    isLoaded = true;
  }
  const codes = await readBarcodes(picture, { formats: ['QRCode'], tryHarder: true });
  return codes.map(({ text }) => text);
}

/** The pixels of a code that is written in half blocks, black on white, as `perch --qr` writes it to a terminal. */
export function pixelsOfBlocks(text: string): Pixels {
  const lines = stripVTControlCharacters(text)
    .split('\n')
    .filter((line) => /[▀▄█]/.test(line));
  const columns = Math.max(...lines.map((line) => line.length));
  const [width, height] = [columns * SCALE, lines.length * 2 * SCALE];
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const block = lines[Math.floor(y / SCALE / 2)]?.[Math.floor(x / SCALE)] ?? ' ';
      const half = Math.floor(y / SCALE) % 2 === 0 ? '▀' : '▄';
      if (block !== '█' && block !== half) continue;
      const at = (y * width + x) * 4;
      data.fill(0, at, at + 3);
    }
  return { data, width, height };
}
