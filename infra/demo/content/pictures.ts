import { deflateSync } from 'node:zlib';
import type { Random } from '../../random.ts';
import type { DemoDraft } from '../demo-item.ts';

type Colour = [red: number, green: number, blue: number];

const SIZE = 240;

/** An image of 8 bits a channel, without alpha (PNG specification, sections 5 and 11). */
function encodePng(pixel: (x: number, y: number) => Colour): Uint8Array {
  const row = 1 + SIZE * 3;
  const lines = Buffer.alloc(row * SIZE);
  for (let y = 0; y < SIZE; y++) for (let x = 0; x < SIZE; x++) lines.set(pixel(x, y), y * row + 1 + x * 3);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIZE, 0);
  header.writeUInt32BE(SIZE, 4);
  header.set([8, 2], 8);
  const chunks = [chunk('IHDR', header), chunk('IDAT', deflateSync(lines)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), ...chunks]);
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(Bun.hash.crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const mix = (from: Colour, to: Colour, share: number): Colour => [
  Math.round(from[0] + (to[0] - from[0]) * share),
  Math.round(from[1] + (to[1] - from[1]) * share),
  Math.round(from[2] + (to[2] - from[2]) * share),
];

const colour = (random: Random, low: number, high: number): Colour => [
  random.between(low, high),
  random.between(low, high),
  random.between(low, high),
];

export const PAINTINGS = [
  'Rings in the pond',
  'Evening field',
  'Woven cloth',
  'Two tides',
  'Rain on glass',
  'Far hills',
  'Harbour lights',
  'Pressed leaf',
  'Morning tram',
];

/** A small abstract picture: what its name makes of three waves. */
export function paint(random: Random, name: string): DemoDraft {
  const [dark, light] = [colour(random, 10, 110), colour(random, 140, 250)];
  const [across, down, round] = [random.between(1, 9), random.between(1, 9), random.between(2, 14)];
  const bytes = encodePng((x, y) => {
    const [u, v] = [x / SIZE - 0.5, y / SIZE - 0.5];
    const wave = Math.sin(across * u * 6) + Math.sin(down * v * 6) + Math.sin(round * Math.hypot(u, v) * 6);
    return mix(dark, light, Math.floor(((wave + 3) / 6) * 12) / 12);
  });
  return {
    title: name,
    tags: ['picture', 'art', 'png'],
    content: { kind: 'file', filename: `${slug(name)}.png`, bytes },
  };
}

export const CONSTELLATIONS = [
  'The Kettle',
  'The Left Glove',
  'The Long Queue',
  'The Paper Boat',
  'The Ladder',
  'The Bent Spoon',
  'The Sleeping Cat',
  'The Wheelbarrow',
];

/** A constellation that nobody has seen yet, as SVG. */
export function drawConstellation(random: Random, name: string): DemoDraft {
  const stars = Array.from({ length: random.between(6, 11) }, () => [
    random.between(20, 380),
    random.between(20, 220),
  ]);
  const path = stars.map((star) => star.join(',')).join(' ');
  const dots = stars.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="${random.between(2, 6)}"/>`).join('');
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 260">
<rect width="400" height="260" fill="#0b1530"/>
<polyline points="${path}" fill="none" stroke="#6d7fb8" stroke-dasharray="3 4"/>
<g fill="#ffe9b0">${dots}</g>
<text x="200" y="250" fill="#dfe6ff" font-family="Georgia, serif" font-size="16" text-anchor="middle">${name}</text>
</svg>
`;
  return {
    title: `Constellation: ${name}`,
    tags: ['picture', 'svg', 'stars'],
    content: { kind: 'file', filename: `${slug(name)}.svg`, bytes: Buffer.from(text) },
  };
}

/** A name as part of a filename. */
export const slug = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
