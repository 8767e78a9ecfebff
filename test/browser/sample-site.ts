import { pdf, png } from '../hostile/bytes.ts';
import { font } from './font.ts';
import type { SiteFiles } from './uploads.ts';

/** The state of the sample site's parts in a browser. */
export interface SiteFindings {
  origin: string;
  /** Of the style sheet. */
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
  ...{ origin, colour: 'rgb(1, 2, 3)', letter: 50, image: 1 },
  ...{ imported: 'from the other module', fetched: text },
});
