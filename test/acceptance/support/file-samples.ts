import { box, brands, bytes, pdf, png, zeros } from '../../hostile/bytes.ts';

const MB = 1_048_576;

/** Specification 7.2. */
export const FILE_LIMIT = 5 * MB;
export const VIDEO_LIMIT = 20 * MB;

/** A film without pictures. */
export const film = bytes(brands('isom', 'mp42'), box('mdat', zeros(32)));

const mp3Frame = bytes([0xff, 0xfb, 0x90, 0], zeros(413));

/** A file of exactly so many bytes, by family: its beginning and padding. */
export const OF_SIZE = {
  text: (size: number) => ({ filename: 'a.txt', content: new Uint8Array(size).fill(0x61) }),
  image: (size: number) => ({ filename: 'a.png', content: padded(png(), size) }),
  pdf: (size: number) => ({ filename: 'a.pdf', content: padded(pdf(), size) }),
  audio: (size: number) => ({ filename: 'a.mp3', content: padded(mp3Frame, size) }),
  video: (size: number) => ({ filename: 'a.mp4', content: padded(film, size) }),
};

function padded(content: Uint8Array, size: number): Uint8Array {
  const all = new Uint8Array(size);
  all.set(content);
  return all;
}
