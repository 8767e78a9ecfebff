import { readFile } from 'node:fs/promises';
import type { Renderer } from '@takumi-rs/core';

export type TextRenderer = Renderer;

const FACES = ['latin', 'latin-ext', 'greek', 'cyrillic'].flatMap((script) =>
  [400, 700].map((weight) => ({ script, weight })),
);

/** A renderer with the font Inter, which takes some 20 MB. */
export async function loadTextRenderer(): Promise<TextRenderer> {
  const { Renderer } = await import('@takumi-rs/core');
  const renderer = new Renderer();
  for (const { script, weight } of FACES) {
    const face = import.meta.resolve(`@fontsource/inter/files/inter-${script}-${weight}-normal.woff2`);
    await renderer.registerFont({ name: 'Inter', weight, data: await readFile(new URL(face)) });
  }
  return renderer;
}

/** All but the scripts of the fonts, whose characters would be drawn as boxes. */
const NOT_DRAWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Mn}\p{N}\p{P}\p{Zs}\p{Sc}+<=>|~^`´¨]|\p{Extended_Pictographic}/gu;

/** The part of a text that can be drawn, in one line. */
export const drawable = (value: string, characters: number): string =>
  [
    ...value
      .slice(0, 4 * characters)
      .replace(/\s+/g, ' ')
      .replace(NOT_DRAWN, ''),
  ]
    .slice(0, characters)
    .join('')
    .trim();
