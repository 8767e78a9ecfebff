import { expect, test } from 'bun:test';
import { toString as toText } from 'qrcode';
import { createQrPictures, type QrFormat } from '../../../services/gateway/features/share/qr-pictures.ts';
import { readQrCodes } from '../../qr-reader.ts';

const PICTURE_BYTES = 1_000;
const URL_OF = (n: number): string => `https://perch.example/public/${n}`;
/** A picture, its key and what an entry takes besides. */
const ENTRY_BYTES = PICTURE_BYTES + 2 * `png ${URL_OF(0)}`.length + 512;

/** Pictures that are drawn by nobody, and which were. */
function picturesIn(keptBytes: number) {
  const drawn: string[] = [];
  const pictures = createQrPictures({
    keptBytes,
    async draw(url: string, format: QrFormat) {
      const number = drawn.push(`${format} ${url}`);
      await Bun.sleep(1);
      return new Uint8Array(PICTURE_BYTES).fill(number);
    },
  });
  return { pictures, drawn };
}

test('a picture is drawn once, also for several who ask at once, and by its form', async () => {
  const { pictures, drawn } = picturesIn(100 * ENTRY_BYTES);
  const ask = () => pictures.picture(URL_OF(0), 'png');
  const all = await Promise.all([ask(), ask(), pictures.picture(URL_OF(0), 'svg'), ask()]);
  expect(drawn).toEqual([`png ${URL_OF(0)}`, `svg ${URL_OF(0)}`]);
  expect(all.map(([first]) => first)).toEqual([1, 1, 2, 1]);
  expect(await ask()).toBe(await ask());
  expect(drawn).toHaveLength(2);
});

test.each([
  [-1, 3],
  [0, 2],
  [1, 2],
])('two pictures are kept in room for both and %d bytes: %d are drawn', async (more, draws) => {
  const { pictures, drawn } = picturesIn(2 * ENTRY_BYTES + more);
  for (const n of [0, 1, 0]) await pictures.picture(URL_OF(n), 'png');
  expect(drawn).toHaveLength(draws);
});

test('the picture that nobody has asked for longest makes room', async () => {
  const { pictures, drawn } = picturesIn(2 * ENTRY_BYTES);
  for (const n of [0, 1, 0, 2, 0]) await pictures.picture(URL_OF(n), 'png');
  expect(drawn).toEqual([0, 1, 2].map((n) => `png ${URL_OF(n)}`));
  await pictures.picture(URL_OF(1), 'png');
  expect(drawn).toHaveLength(4);
});

test('a failure is told to all who wait, and is not kept', async () => {
  let isFailing = true;
  const pictures = createQrPictures({
    async draw() {
      if (isFailing) throw new Error('too long');
      return new Uint8Array(1);
    },
  });
  const ask = () => pictures.picture(URL_OF(0), 'svg');
  const attempts = await Promise.allSettled([ask(), ask()]);
  expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isFailing = false;
  expect(await ask()).toHaveLength(1);
});

test('both forms are codes of the address, also when they are asked for again', async () => {
  const pictures = createQrPictures();
  for (let n = 0; n < 2; n++) {
    expect(await readQrCodes(await pictures.picture(URL_OF(0), 'png'))).toEqual([URL_OF(0)]);
    expect(new TextDecoder().decode(await pictures.picture(URL_OF(0), 'svg'))).toBe(
      await toText(URL_OF(0), { errorCorrectionLevel: 'M', margin: 4, type: 'svg' }),
    );
  }
});
