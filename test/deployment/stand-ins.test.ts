import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { standIns } from '../../infra/engine/stand-ins.ts';
import { PROJECT, readComposeFile } from './compose-file.ts';
import { readImageFile } from './image-file.ts';

test('every image that the project names has a stand-in for an engine without a registry', async () => {
  const text = await Bun.file(join(PROJECT, 'infra/engine/stand-ins/Dockerfile')).text();
  const stages = Array.from(text.matchAll(/^FROM \S+ AS (\S+)$/gm), ([, name = '']) => name);
  const found = await standIns();
  for (const [image, stage] of found) expect([image, stages.includes(stage)]).toEqual([image, true]);
  const named = Object.values(readComposeFile().services).flatMap(({ image = '' }) => image);
  const others = named.filter((image) => !image.startsWith('perch:'));
  const bases = readImageFile(join(PROJECT, 'infra/Dockerfile')).map(({ base }) => base);
  expect([...found.keys()].toSorted()).toEqual([...new Set([...others, ...bases])].toSorted());
});
