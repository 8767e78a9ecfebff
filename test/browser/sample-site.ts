import { bytes, pdf, png, uint32, zeros } from '../hostile/bytes.ts';
import type { SiteFiles } from './uploads.ts';

/** The state of the sample site's parts in a browser. */
export interface SiteFindings {
  origin: string;
  /** Colour that the style sheet sets. */
  colour: string;
  /** Width of an A of 50 px in the site's own font, in px. */
  letter: number;
  image: number;
  /** From a module that the first one imports. */
  imported: string;
  /** From `data.json`. */
  fetched: string;
}

/** A site that takes in its parts by every usual way, all of them relative; `text` tells one version from another. */
export const sampleSite = (text: string, more: SiteFiles = {}): SiteFiles => ({
  'index.html': `<!doctype html><meta charset="utf-8"><title>Home</title>
<link rel="stylesheet" href="css/site.css"><script type="module" src="js/app.js"></script>
<h1>${text}</h1><img src="img/dot.png" alt=""><span id="letter">A</span>
<nav><a href="docs/guide.html">Guide</a> <a href="docs">Docs</a> <a href="nowhere/at-all">Lost</a>
<a href="paper.pdf">Paper</a></nav><pre id="found"></pre>`,
  'css/site.css': `@font-face { font-family: Perch; src: url(../fonts/perch.ttf) }
h1 { color: rgb(1, 2, 3) } #letter { font: 50px/1 Perch, serif }`,
  'js/app.js': `import { greeting } from './part.js';
const answer = await fetch('data.json');
const { text } = await answer.json();
await document.fonts.load('50px Perch', 'A');
const image = document.querySelector('img');
if (!image.complete) await new Promise((resolve) => { image.onload = resolve; });
document.getElementById('found').textContent = JSON.stringify({
  origin: window.origin,
  colour: getComputedStyle(document.querySelector('h1')).color,
  letter: document.getElementById('letter').getBoundingClientRect().width,
  image: image.naturalWidth,
  imported: greeting,
  fetched: text,
});`,
  'js/part.js': "export const greeting = 'from the other module';",
  'data.json': JSON.stringify({ text }),
  'img/dot.png': png(),
  'fonts/perch.ttf': font(),
  'docs/index.html':
    '<!doctype html><title>Docs</title><a href="guide.html">Guide</a> <a href="../">Home</a>',
  'docs/guide.html':
    '<!doctype html><title>Guide</title><a href="../index.html">Home</a> <a href="./">Docs</a>',
  'paper.pdf': pdf(),
  ...more,
});

/** The findings of a sample site whose parts have all loaded. */
export const complete = (origin: string, text: string): SiteFindings => ({
  origin,
  colour: 'rgb(1, 2, 3)',
  letter: 50,
  image: 1,
  imported: 'from the other module',
  fetched: text,
});

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
function font(): Uint8Array {
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
