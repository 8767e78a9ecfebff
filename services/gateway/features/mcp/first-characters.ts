import { copyOfSlice } from '../../http/text.ts';

/** The first characters (code points) of a text, and how many it has; the rest of a long one is never all in memory. */
export async function firstCharacters(
  { body }: Response,
  most: number,
): Promise<{ shown: string; characters: number }> {
  const decoder = new TextDecoder();
  let shown = '';
  let characters = 0;
  const add = (text: string): void => {
    let end = text.length;
    for (let at = 0; at < text.length; at += 1) {
      if (characters >= most) end = Math.min(end, at);
      characters += 1;
      if (isHighSurrogate(text.charCodeAt(at))) at += 1;
    }
    shown += end < text.length ? copyOfSlice(text.slice(0, end)) : text;
  };
  for await (const piece of body ?? []) add(decoder.decode(piece, { stream: true }));
  add(decoder.decode());
  return { shown, characters };
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
