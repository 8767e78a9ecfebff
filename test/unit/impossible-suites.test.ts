import { expect, test } from 'bun:test';
import { type Suite, withoutImpossible } from '../suites.ts';

const suite = (name: string, whyNot?: Suite['whyNot']): Suite => ({
  name,
  paths: [],
  mode: 'embedded',
  needsServers: false,
  ...(whyNot === undefined ? {} : { whyNot }),
});

test('a suite that cannot be run here is named with its reason, and is not among those that run', async () => {
  const possible = [suite('plain'), suite('asked', () => Promise.resolve(null))];
  const impossible = suite('engine', () => Promise.resolve('there is no docker here'));
  expect(await withoutImpossible([impossible, ...possible])).toEqual({
    suites: possible,
    notRun: ['NOT RUN: engine: there is no docker here'],
  });
});
