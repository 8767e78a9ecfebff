import { expect, test } from 'bun:test';
import { createCardPictures } from '../../../services/gateway/features/previews/card-pictures.ts';
import { drawable } from '../../../shared/pictures/text-renderer.ts';

const CARD = { title: 'Launch', kind: 'Page', namespace: 'public', tags: ['docs'], strip: 'We go live.' };

test('texts are drawn in the scripts of the fonts, on one line, and cut off', () => {
  expect(drawable('Größe  Ωμέγα\n Мир 12 € “ok” <b>', 100)).toBe('Größe Ωμέγα Мир 12 € “ok” <b>');
  expect(drawable('你好 🐦 ok \u202ex\u0000y', 100)).toBe('ok xy');
  expect(drawable('🐦', 10)).toBe('');
  expect(drawable('abcdef', 3)).toBe('abc');
  expect(drawable('x'.repeat(1_000_000), 5)).toBe('xxxxx');
});

test('a picture is drawn once for all who ask for it, and kept', async () => {
  const pictures = createCardPictures();
  let asked = 0;
  const card = async () => {
    asked += 1;
    return CARD;
  };
  const drawn = await Promise.all([1, 2, 3].map(() => pictures.draw('10.0.0.1', 'a', card)));
  expect(new Set(drawn).size).toBe(1);
  expect(await pictures.draw('10.0.0.1', 'a', card)).toBe(drawn[0] ?? null);
  expect(asked).toBe(1);
  expect(await pictures.draw('10.0.0.1', 'b', async () => ({ ...CARD, title: 'Other' }))).not.toEqual(
    drawn[0] ?? null,
  );
});

test('a failure is not kept, and more than can wait are told so', async () => {
  const pictures = createCardPictures();
  const fail = pictures.draw('10.0.0.1', 'a', () => Promise.reject(new Error('the store is away')));
  expect(fail).rejects.toThrow('the store is away');
  expect(await pictures.draw('10.0.0.1', 'a', async () => CARD)).not.toBeNull();
  const crowd = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      pictures.draw('10.0.0.1', `crowd ${n}`, async () => ({ ...CARD, title: `${n}` })),
    ),
  );
  const refused = crowd.filter((picture) => picture === null).length;
  expect(refused).toBe(40 - 18);
});

test('a client who asks for many leaves time for the picture of another', async () => {
  const pictures = createCardPictures();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const crowd = Array.from({ length: 100 }, (_, n) =>
    pictures.draw('10.0.0.1', `crowd ${n}`, async () => {
      await begun;
      return CARD;
    }),
  );
  const other = pictures.draw('10.0.0.2', 'other', async () => CARD);
  begin();
  expect(await other).not.toBeNull();
  expect((await Promise.all(crowd)).filter((picture) => picture !== null)).toHaveLength(18);
});
