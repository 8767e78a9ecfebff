/** The first characters (code points) of a well-formed text, and how many it has; a huge text is not taken apart for it. */
export function firstCharacters(text: string, most: number): { shown: string; characters: number } {
  let characters = 0;
  let end = text.length;
  for (let at = 0; at < text.length; at += 1) {
    if (characters === most) end = Math.min(end, at);
    characters += 1;
    if (isHighSurrogate(text.charCodeAt(at))) at += 1;
  }
  return { shown: text.slice(0, end), characters };
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
