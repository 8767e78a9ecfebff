import { LRUCache } from 'lru-cache';
import { toBuffer, toString as toText } from 'qrcode';
import { createSingleFlight } from '../../../../shared/single-flight.ts';

/** Forms of a QR code, and their types. */
export const QR_FORMATS = { svg: 'image/svg+xml', png: 'image/png' } as const;
export type QrFormat = keyof typeof QR_FORMATS;

export interface QrPictures {
  /** The QR code of an address, drawn once as long as it is kept, also for several who ask at once. */
  picture(url: string, format: QrFormat): Promise<Uint8Array>;
}

interface QrPicturesOptions {
  /** Most bytes of all pictures that are kept, each with its address. */
  keptBytes?: number;
  draw?(url: string, format: QrFormat): Promise<Uint8Array>;
}

/** Some 1,000 pictures, which have 2 to 5 KB each. */
const KEPT_BYTES = 4 * 1_048_576;
/** A kept picture takes so much beside its bytes, and two bytes for each character of its key. */
const ENTRY_BYTES = 512;

/** Draws QR codes. A PNG takes the event loop 20 to 40 ms, so pictures are kept: those that were asked for last. */
export function createQrPictures({
  keptBytes = KEPT_BYTES,
  draw = drawQrCode,
}: QrPicturesOptions = {}): QrPictures {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: keptBytes,
    sizeCalculation: ({ length }, key) => length + 2 * key.length + ENTRY_BYTES,
  });
  const share = createSingleFlight<Uint8Array>();
  return {
    async picture(url, format) {
      const key = `${format} ${url}`;
      const known = kept.get(key);
      if (known !== undefined) return known;
      return await share(key, async () => {
        const made = await draw(url, format);
        kept.set(key, made);
        return made;
      });
    },
  };
}

/** Quiet zone of ISO/IEC 18004, in modules. */
const LOOK = { errorCorrectionLevel: 'M', margin: 4 } as const;

/** The bytes are a copy where a `Buffer` may be a part of a larger piece of memory, which would stay with it. */
const drawQrCode = async (url: string, format: QrFormat): Promise<Uint8Array> =>
  format === 'svg'
    ? new TextEncoder().encode(await toText(url, { ...LOOK, type: 'svg' }))
    : new Uint8Array(await toBuffer(url, { ...LOOK, type: 'png', scale: 8 }));
