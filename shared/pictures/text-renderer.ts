import { readFile } from 'node:fs/promises';
import type { Renderer } from '@takumi-rs/core';

export type TextRenderer = Renderer;

const FACES = ['latin', 'latin-ext', 'greek', 'cyrillic'].flatMap((script) =>
  [400, 700].map((weight) => ({ script, weight })),
);

/** A renderer with the font Inter. It takes some 20 MB. */
export async function loadTextRenderer(): Promise<TextRenderer> {
  const { Renderer } = await import('@takumi-rs/core');
  const renderer = new Renderer();
  for (const { script, weight } of FACES) {
    const face = import.meta.resolve(`@fontsource/inter/files/inter-${script}-${weight}-normal.woff2`);
    await renderer.registerFont({ name: 'Inter', weight, data: await readFile(new URL(face)) });
  }
  return renderer;
}
