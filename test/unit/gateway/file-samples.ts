import { zipSync } from 'fflate';
import type { FileFamily } from '../../../shared/items/content.ts';
import {
  bitmap,
  box,
  brands,
  bytes,
  gif,
  icon,
  jpeg,
  pdf,
  png,
  riff,
  riffChunk,
  uint32,
  zeros,
} from '../../hostile/bytes.ts';

type Sample = [filename: string, contentType: string, family: FileFamily, content: Uint8Array];

const text = (extension: string, type: string, content: string): Sample => [
  `notes.${extension}`,
  `${type}; charset=utf-8`,
  'text',
  bytes(content),
];

const film = box('mdat', zeros(16));
const mp3Frame = bytes([0xff, 0xfb, 0x90, 0x44], zeros(413));
const adtsFrame = bytes([0xff, 0xf1, 0x50, 0x80, 1, 0xbf, 0xfc], zeros(6));
const id3 = (size: number): Uint8Array => bytes('ID3', [4, 0, 0, 0, 0, size >> 7, size & 127], zeros(size));

/** The first page of an Ogg stream whose first packet begins like that. */
const ogg = (packet: string | number[]): Uint8Array => {
  const content = bytes(packet, zeros(30));
  return bytes('OggS', [0, 2], zeros(20), [1, content.length], content);
};

const fontTables = bytes([0, 1, 0, 16, 0, 0, 0, 0], 'glyf', zeros(12), zeros(20));
const woff = (signature: string): Uint8Array => bytes(signature, [0, 1, 0, 0], uint32(60), [0, 0], zeros(46));

const flac = bytes('fLaC', [0x80, 0, 0, 34], zeros(34));

/** Code and other texts that are plain text to browsers (specification 7.2). */
export const CODE_EXTENSIONS = [
  ...'py pyi pyw go rs java kt kts scala groovy gradle c h cc cpp cxx hpp hh cs fs fsx vb m'.split(' '),
  ...'mm swift dart cjs mts cts vue svelte astro xsl xsd dtd plist gpx kml scss less php rb'.split(' '),
  ...'pl pm lua r jl hs ml mli ex exs erl hrl clj cljs edn lisp el sh bash zsh ps1 sql'.split(' '),
  ...'graphql gql proto diff patch ini cfg conf env properties jsonc json5 jsonl ndjson'.split(' '),
  ...'geojson ipynb dockerfile mk cmake nix nginx tex bib rst adoc org tf hcl zig nim sol po'.split(' '),
  ...'srt lock'.split(' '),
];

/** A small file of every type that is admitted, with all that is told of it. */
export const SAMPLES: Sample[] = [
  text('html', 'text/html', '<p>a'),
  text('htm', 'text/html', '<p>a'),
  text('md', 'text/markdown', '# a'),
  text('markdown', 'text/markdown', '# a'),
  text('tsv', 'text/tab-separated-values', 'a\tb'),
  text('vtt', 'text/vtt', 'WEBVTT'),
  ...CODE_EXTENSIONS.map((extension) => text(extension, 'text/plain', 'a = 1')),
  text('json', 'application/json', '{'),
  text('txt', 'text/plain', 'a'),
  text('css', 'text/css', 'a{}'),
  text('js', 'text/javascript', 'a()'),
  text('mjs', 'text/javascript', 'a()'),
  text('jsx', 'text/plain', '<A/>'),
  text('ts', 'text/plain', 'a()'),
  text('tsx', 'text/plain', '<A/>'),
  text('csv', 'text/csv', 'a,b'),
  text('xml', 'text/xml', '<?xml version="1.0"?><a/>'),
  text('yaml', 'text/yaml', 'a: b'),
  text('yml', 'text/yaml', 'a: b'),
  text('toml', 'text/plain', 'a = 1'),
  text('log', 'text/plain', '\x1b[31mred\x1b[0m'),
  ['image.png', 'image/png', 'image', png()],
  ['signature.png', 'image/png', 'image', bytes(png().subarray(0, 8), zeros(100))],
  ['image.jpg', 'image/jpeg', 'image', jpeg()],
  ['image.jpeg', 'image/jpeg', 'image', jpeg()],
  ['image.gif', 'image/gif', 'image', gif()],
  ['image.webp', 'image/webp', 'image', riff('WEBP', riffChunk('VP8 ', zeros(20)))],
  ['image.avif', 'image/avif', 'image', bytes(brands('avif', 'mif1'), film)],
  ['image.svg', 'image/svg+xml', 'image', bytes('<svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['image.ico', 'image/x-icon', 'image', icon()],
  ['image.bmp', 'image/bmp', 'image', bitmap()],
  ['sound.mp3', 'audio/mpeg', 'audio', mp3Frame],
  ['tagged.mp3', 'audio/mpeg', 'audio', bytes(id3(300), mp3Frame)],
  ['padded.mp3', 'audio/mpeg', 'audio', bytes(id3(300), zeros(500), mp3Frame)],
  ['tag.mp3', 'audio/mpeg', 'audio', id3(100)],
  [
    'sound.wav',
    'audio/wav',
    'audio',
    riff('WAVE', riffChunk('fmt ', zeros(16)), riffChunk('data', zeros(8))),
  ],
  ['sound.ogg', 'audio/ogg', 'audio', ogg('\x01vorbis')],
  ['sound.opus', 'audio/ogg', 'audio', ogg('OpusHead')],
  ['skeleton.ogg', 'audio/ogg', 'audio', ogg('fishead\0')],
  ['sound.flac', 'audio/flac', 'audio', flac],
  ['tagged.flac', 'audio/flac', 'audio', bytes(id3(300), flac)],
  ['sound.m4a', 'audio/mp4', 'audio', bytes(brands('M4A ', 'mp42'), film)],
  ['other-brand.m4a', 'audio/mp4', 'audio', bytes(brands('mp42', 'isom'), film)],
  ['sound.aac', 'audio/aac', 'audio', adtsFrame],
  ['film.mp4', 'video/mp4', 'video', bytes(brands('isom', 'iso2'), film)],
  ['film.m4v', 'video/mp4', 'video', bytes(brands('M4V ', 'mp42'), film)],
  ['film.mov', 'video/quicktime', 'video', bytes(brands('qt  '), film)],
  ['old.mov', 'video/quicktime', 'video', bytes(box('wide'), film)],
  ['film.webm', 'video/webm', 'video', bytes([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84], 'webm')],
  ['signature.webm', 'video/webm', 'video', bytes([0x1a, 0x45, 0xdf, 0xa3], zeros(100))],
  ['film.ogv', 'video/ogg', 'video', ogg([0x80, ...Buffer.from('theora')])],
  ['skeleton.ogv', 'video/ogg', 'video', ogg('fishead\0')],
  ['paper.pdf', 'application/pdf', 'pdf', pdf()],
  ['binary.pdf', 'application/pdf', 'pdf', bytes(pdf(), [0xe2, 0xe3, 0xcf, 0xd3, 0])],
  ['archive.zip', 'application/zip', 'archive', zipSync({ 'a.txt': bytes('a'), 'b/c.html': bytes('b') })],
  ['font.woff', 'font/woff', 'font', woff('wOFF')],
  ['font.woff2', 'font/woff2', 'font', woff('wOF2')],
  ['font.ttf', 'font/ttf', 'font', bytes([0, 1, 0, 0], fontTables)],
  ['font.otf', 'font/otf', 'font', bytes('OTTO', fontTables)],
];
