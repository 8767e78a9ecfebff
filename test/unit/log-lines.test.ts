import { expect, test } from 'bun:test';
import { gatherLines } from '../../shared/logger.ts';

test('hands lines on in blocks, in order, and the rest when asked', () => {
  const blocks: string[] = [];
  const lines = gatherLines(
    { write: (block) => void blocks.push(block) },
    { blockLength: 10, everyMs: 60_000 },
  );
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n']) lines.write(line);
  expect(blocks).toEqual(['one\ntwo\nthree\n']);
  lines.handOn();
  lines.handOn();
  expect(blocks).toEqual(['one\ntwo\nthree\n', 'four\n']);
});

test('hands lines on by itself after a while', async () => {
  const block = await new Promise<string>((resolve) => {
    gatherLines({ write: resolve }, { blockLength: 1_000, everyMs: 5 }).write('alone\n');
  });
  expect(block).toBe('alone\n');
});
