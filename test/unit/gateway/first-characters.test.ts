import { expect, test } from 'bun:test';
import { firstCharacters } from '../../../services/gateway/features/mcp/page-tools.ts';

const TEXT = 'aé🐦b漢🐦\u0001c';
const CHARACTERS = [...TEXT];

/** Its bytes in pieces of that size, which divide characters. */
const answerOf = (text: string, size: number): Response => {
  const bytes = new TextEncoder().encode(text);
  return new Response(
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size));
        controller.close();
      },
    }),
  );
};

test.each([1, 2, 3, 5, 100])(
  'the first characters are whole, and all are counted, in pieces of %d bytes',
  async (size) => {
    for (let most = 0; most <= CHARACTERS.length + 1; most += 1)
      expect(await firstCharacters(answerOf(TEXT, size), most)).toEqual({
        shown: CHARACTERS.slice(0, most).join(''),
        characters: CHARACTERS.length,
      });
  },
);

test('an empty answer has none', async () => {
  expect(await firstCharacters(new Response(null), 5)).toEqual({ shown: '', characters: 0 });
  expect(await firstCharacters(new Response(''), 5)).toEqual({ shown: '', characters: 0 });
});
