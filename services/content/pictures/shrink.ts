import type { Metadata, Sharp } from 'sharp';

/** Pictures are at most so large, in pixels: what a card of the gallery shows. */
export const PICTURE = { width: 320, height: 200 } as const;

/** Most bytes of a picture: a hundred of them and their page stay below 300 KB. */
export const PICTURE_BYTES = 2_400;

/** Images of more pixels are not unpacked: most formats take up to six bytes for each. */
const MAX_PIXELS = 50_000_000;

/** AVIF is unpacked as a whole, in several copies: some 22 bytes for a pixel, and the time limit does not interrupt it. */
const MAX_PIXELS_HEIF = 12_000_000;

/** Longest that one step may take, in seconds. */
const LIMIT_SECONDS = 5;

/** Widths and qualities of WebP, tried one after the other until a picture is small enough. */
const WIDTHS = [320, 240, 160];
const QUALITIES = [60, 40, 25, 12];

/** The formats that are read; all else that the library could read is shut off, SVG among it. */
const READ = ['JpegBuffer', 'PngBuffer', 'WebpBuffer', 'NsgifBuffer', 'HeifBuffer'];

export interface Picture {
  /** WebP. */
  bytes: Uint8Array;
  width: number;
  height: number;
}

/**
 * An image as a small picture, of an animated one the first; `null` when it is none that can be read, or has too many
 * pixels. Works on threads beside the event loop.
 */
export async function shrink(image: Uint8Array, limitSeconds = LIMIT_SECONDS): Promise<Picture | null> {
  const sharp = await library();
  try {
    const opened = sharp(image, { limitInputPixels: MAX_PIXELS, failOn: 'error', pages: 1 });
    if (isTooLarge(await opened.metadata())) return null;
    const { data, info } = await opened
      .timeout({ seconds: limitSeconds })
      .autoOrient()
      .resize({ ...PICTURE, fit: 'cover', withoutEnlargement: true })
      .toColourspace('srgb')
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    return await smallest(() => sharp(data, { raw: { width, height, channels } }));
  } catch {
    // Whatever is wrong with it, another try would end alike.
    return null;
  }
}

/**
 * Decides by the header. A picture in several passes is kept whole, and deep samples take two bytes: half as many pixels
 * are allowed.
 */
function isTooLarge({ format, width, height, depth, isProgressive }: Metadata): boolean {
  const maxPixels = format === 'heif' ? MAX_PIXELS_HEIF : MAX_PIXELS;
  const costsTwice = isProgressive || depth !== 'uchar';
  return width * height > (costsTwice ? maxPixels / 2 : maxPixels);
}

/** The best form that is small enough. */
async function smallest(open: () => Sharp): Promise<Picture | null> {
  for (const width of WIDTHS) {
    for (const quality of QUALITIES) {
      const { data, info } = await open()
        .resize({ width, withoutEnlargement: true })
        .webp({ quality, effort: 5 })
        .timeout({ seconds: LIMIT_SECONDS })
        .toBuffer({ resolveWithObject: true });
      if (data.length <= PICTURE_BYTES) return { bytes: data, width: info.width, height: info.height };
    }
  }
  return null;
}

type Library = typeof import('sharp').default;

let loaded: Promise<Library> | null = null;

/** The library takes some 30 MB: the first picture loads it. */
function library(): Promise<Library> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<Library> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: READ.map((name) => `VipsForeignLoad${name}`) });
  return sharp;
}
