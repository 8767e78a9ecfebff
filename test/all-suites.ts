import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { whyNoEngine } from '../infra/engine/find-engine.ts';
import type { Suite } from './suites.ts';

/** What `npm test` runs. Side by side the longest goes first: what is left at the end should be short. */
export const allSuites = (): Suite[] => [
  {
    name: 'acceptance on distributed',
    paths: filesOf('acceptance').filter((path) => !isOfInputAlone(path)),
    mode: 'distributed',
    needsServers: true,
  },
  {
    ...{ name: 'acceptance on distributed', part: 'what input alone decides', full: true },
    ...{ paths: filesOf('acceptance').filter(isOfInputAlone), mode: 'distributed', needsServers: true },
  },
  { name: 'acceptance on embedded', paths: ['./test/acceptance'], mode: 'embedded', needsServers: false },
  { name: 'browser', paths: ['./test/browser'], mode: 'embedded', needsServers: false },
  ...halvesOf(filesOf('contracts')).map(
    (paths, half): Suite => ({
      ...{ name: 'contracts', part: `half ${half + 1}`, paths, mode: 'embedded', needsServers: true },
    }),
  ),
  { name: 'interface document', paths: ['./test/openapi'], mode: 'embedded', needsServers: false },
  { name: 'unit', paths: ['./test/unit'], mode: 'embedded', needsServers: false },
  {
    ...{ name: 'fuzz on distributed', paths: ['./test/fuzz'], mode: 'distributed', needsServers: true },
    full: true,
  },
  {
    ...{ name: 'fuzz on embedded', paths: ['./test/fuzz'], mode: 'embedded', needsServers: false },
    full: true,
  },
  {
    ...{ name: 'attacks', paths: ['./test/attacks'], mode: 'embedded', needsServers: false },
    full: true,
  },
  {
    ...{ name: 'compose', paths: ['./test/compose'], mode: 'distributed', needsServers: false },
    ...{ full: true, last: true, whyNot: whyNoEngine },
  },
  { name: 'deployment', paths: ['./test/deployment'], mode: 'distributed', needsServers: false },
  ...filesOf('faults')
    .toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)))
    .map(
      (path): Suite => ({
        ...{ name: 'faults', part: basename(path, '.test.ts'), paths: [path], last: true },
        ...{ mode: 'distributed', needsServers: true },
      }),
    ),
];

/**
 * What the gateway refuses or takes by looking at the request alone: no adapter has a part in it, so `npm test` asks the
 * embedded mode only.
 */
const isOfInputAlone = (path: string): boolean =>
  /\/(?:files-(?:admission|hostile|memory|names|octet-stream)|sites-(?:damaged|hostile)|json-content|(?:kinds|create)-parameters)\.test/.test(
    path,
  );

/** Faults go file by file, so that both lanes end together; those that take about a minute first. */
const isLong = (path: string): boolean =>
  /embedded-kills|gone-back|harness|kv-crashes|nothing-survives|views-snapshot/.test(path);

/** The test files of a folder, in the order of their names. */
const filesOf = (folder: string): string[] =>
  globSync(`test/${folder}/**/*.test.ts`, { cwd: join(import.meta.dirname, '..') })
    .toSorted()
    .map((path) => `./${path}`);

/** Each second file, and the others: what is alike stands side by side, and takes alike long. */
const halvesOf = (files: string[]): string[][] => [
  files.filter((_, n) => n % 2 === 0),
  files.filter((_, n) => n % 2 === 1),
];
