import { expect, test } from 'bun:test';
import { gatherLines } from '../../shared/logger.ts';

function gathered(blockBytes: number, everyMs = 60_000) {
  const blocks: string[] = [];
  const write = (block: Uint8Array) => void blocks.push(new TextDecoder().decode(block));
  return { blocks, lines: gatherLines({ write }, { blockBytes, everyMs }) };
}

test('hands lines on in blocks, in order, and the rest when asked', () => {
  const { blocks, lines } = gathered(10);
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n']) lines.write(line);
  expect(blocks).toEqual(['one\ntwo\nthree\n']);
  lines.handOn();
  lines.handOn();
  expect(blocks).toEqual(['one\ntwo\nthree\n', 'four\n']);
});

test('a block ends with a line, also of a line that is written in parts', () => {
  const { blocks, lines } = gathered(10);
  lines.add('begins with ');
  lines.add('more than a block, ');
  expect(blocks).toEqual([]);
  lines.write('and ends\n');
  expect(blocks).toEqual(['begins with more than a block, and ends\n']);
});

// A block has room for twice its bytes at first, and characters of three bytes need the most.
test.each([1, 9, 10, 11, 20, 21, 100_000])('a line of %i characters comes whole', (characters) => {
  const { blocks, lines } = gathered(10);
  const written = ['é', '日', '🐦'].flatMap((letter) => [`${letter.repeat(characters)}\n`, 'next\n']);
  for (const line of written) lines.write(line);
  lines.handOn();
  expect(blocks.join('')).toBe(written.join(''));
});

test('a block that was handed on stays as it is', () => {
  const blocks: Uint8Array[] = [];
  const write = (block: Uint8Array) => void blocks.push(block);
  const lines = gatherLines({ write }, { blockBytes: 4, everyMs: 60_000 });
  lines.write('one\n');
  lines.write('two\n');
  expect(new TextDecoder().decode(blocks[0])).toBe('one\n');
});

test('lines that are not made yet are asked for before the last ones leave, and a failure keeps none of the others', () => {
  const { blocks, lines } = gathered(1_000);
  lines.onFlush(() => {
    throw new Error('this one fails');
  });
  lines.onFlush(() => lines.write('made late\n'));
  lines.write('made before\n');
  lines.flush();
  expect(blocks).toEqual(['made before\nmade late\n']);
});

test('hands lines on by itself after a while', async () => {
  const block = await new Promise<Uint8Array>((resolve) => {
    gatherLines({ write: resolve }, { blockBytes: 1_000, everyMs: 5 }).write('alone\n');
  });
  expect(new TextDecoder().decode(block)).toBe('alone\n');
});
