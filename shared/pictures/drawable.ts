/** All but the scripts of the fonts, whose characters would be drawn as boxes. */
const NOT_DRAWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Mn}\p{N}\p{P}\p{Zs}\p{Sc}+<=>|~^`´¨]|\p{Extended_Pictographic}/gu;

/** As much of a text as can be drawn, in one line. */
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
