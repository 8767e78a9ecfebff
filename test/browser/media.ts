import { bytes, riff, riffChunk, uint32LittleEndian } from '../hostile/bytes.ts';

/** A key frame of VP8, 64 × 36, all teal. */
const PICTURE = Buffer.from(
  'cAMAnQEqQAAkAD9xuNZjtK8rJqKoApAuCWcA1BQHe7U0+EEAAP7aJtUUQS/XrS3N1BnVI8cA7YAAAA==',
  'base64',
);

/** Bytes of nothing beside each picture, so that a player does not fetch the whole film at once. */
const PADDING_BYTES = 1_000_000;

const SECONDS_A_PICTURE = 5;

/** A film in WebM of one picture every five seconds, with an index to seek by (RFC 8794, RFC 9559). */
export function film(seconds: number): Uint8Array {
  const pictures = Math.ceil(seconds / SECONDS_A_PICTURE);
  const clusters = Array.from({ length: pictures }, (_, picture) => cluster(picture * SECONDS_A_PICTURE));
  const info = element(
    0x1549a966,
    element(0x2ad7b1, uint(1_000_000)),
    element(0x4489, float(seconds * 1000)),
    element(0x4d80, 'perch'),
    element(0x5741, 'perch'),
  );
  const track = element(
    0xae,
    ...[element(0xd7, uint(1)), element(0x73c5, uint(1)), element(0x83, uint(1)), element(0x86, 'V_VP8')],
    element(0xe0, element(0xb0, uint(64)), element(0xba, uint(36))),
  );
  const tracks = element(0x1654ae6b, track);
  // Every number of the index has eight bytes, so its length does not depend on the places it tells.
  const cuesLength = cues(clusters.map(() => 0)).length;
  let place = info.length + tracks.length + cuesLength;
  const places = clusters.map(({ length }) => {
    place += length;
    return place - length;
  });
  return bytes(header(), element(0x18538067, info, tracks, cues(places), ...clusters));
}

const header = (): Uint8Array =>
  element(
    0x1a45dfa3,
    ...[
      element(0x4286, uint(1)),
      element(0x42f7, uint(1)),
      element(0x42f2, uint(4)),
      element(0x42f3, uint(8)),
    ],
    ...[element(0x4282, 'webm'), element(0x4287, uint(2)), element(0x4285, uint(2))],
  );

function cluster(second: number): Uint8Array {
  const keyFrame = bytes([0x81, 0, 0, 0x80], PICTURE);
  return element(
    0x1f43b675,
    element(0xe7, uint(second * 1000)),
    element(0xa3, keyFrame),
    element(0xec, new Uint8Array(PADDING_BYTES)),
  );
}

function cues(places: number[]): Uint8Array {
  const points = places.map((place, picture) =>
    element(
      0xbb,
      element(0xb3, uint(picture * SECONDS_A_PICTURE * 1000)),
      element(0xb7, element(0xf7, uint(1)), element(0xf1, uint(place))),
    ),
  );
  return element(0x1c53bb6b, ...points);
}

/** An element of EBML; its length takes eight bytes. */
function element(id: number, ...contents: Array<string | Uint8Array>): Uint8Array {
  const content = bytes(...contents);
  const name = id.toString(16);
  return bytes(
    Buffer.from(name.length % 2 === 0 ? name : `0${name}`, 'hex'),
    [0x01, ...uint(content.length).subarray(1)],
    content,
  );
}

function uint(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(value));
  return new Uint8Array(view.buffer);
}

function float(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return new Uint8Array(view.buffer);
}

const SAMPLES_A_SECOND = 8000;

/** Silence in WAV, 8 bits a sample, one channel. */
export function sound(seconds: number): Uint8Array {
  const rate = uint32LittleEndian(SAMPLES_A_SECOND);
  const format = bytes([1, 0, 1, 0], rate, rate, [1, 0, 8, 0]);
  const samples = new Uint8Array(seconds * SAMPLES_A_SECOND).fill(128);
  return riff('WAVE', riffChunk('fmt ', format), riffChunk('data', samples));
}
