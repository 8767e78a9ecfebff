import { whyNoEngine } from '../infra/engine/find-engine.ts';
import type { Suite } from './suites.ts';
import {
  FAULT_CLASSES,
  filesOf,
  IN_FULL_ALONE,
  LONG_FAULTS,
  nameOf,
  OF_ADAPTERS,
  ON_ONE_CLUSTER,
  split,
} from './test-files.ts';

/** The suites, side by side the longest first: what is left at the end should be short. `docs/testing.md` says why each is where it is. */
export function allSuites(): Suite[] {
  const acceptance = split(filesOf('acceptance'), OF_ADAPTERS);
  const contracts = filesOf('contracts');
  return [
    {
      ...{ name: 'acceptance on distributed', paths: acceptance.named },
      ...{ mode: 'distributed', needsServers: true },
    },
    {
      ...{ name: 'acceptance on distributed', part: 'the other files', paths: acceptance.others },
      ...{ mode: 'distributed', needsServers: true, full: true },
    },
    ...withFullPart(
      {
        ...{ name: 'acceptance on embedded', paths: filesOf('acceptance') },
        ...{ mode: 'embedded', needsServers: false },
      },
      IN_FULL_ALONE.acceptance,
    ),
    ...withFullPart(
      { name: 'browser', paths: filesOf('browser'), mode: 'embedded', needsServers: false },
      IN_FULL_ALONE.browser,
    ),
    ...halvesOf(contracts).map(
      (paths, half): Suite => ({
        ...{ name: 'contracts', part: `half ${half + 1}`, paths, mode: 'embedded', needsServers: true },
      }),
    ),
    { name: 'clients on embedded', paths: ['./test/clients'], mode: 'embedded', needsServers: false },
    {
      ...{ name: 'clients on distributed', paths: ['./test/clients/client.test.ts'] },
      ...{ mode: 'distributed', needsServers: true },
    },
    { name: 'unit', paths: ['./test/unit'], mode: 'embedded', needsServers: false },
    { name: 'deployment', paths: ['./test/deployment'], mode: 'distributed', needsServers: false },
    { name: 'interface document', paths: ['./test/openapi'], mode: 'embedded', needsServers: false },
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
    ...faultSuites(),
  ];
}

/** A suite, and apart from it what of its files only `npm run test:full` runs. */
function withFullPart(suite: Suite, inFullAlone: readonly string[]): Suite[] {
  const { named, others } = split(suite.paths, inFullAlone);
  return [
    { ...suite, paths: others },
    { ...suite, part: 'what takes long', paths: named, full: true },
  ];
}

function faultSuites(): Suite[] {
  const files = filesOf('faults');
  const together = split(files, ON_ONE_CLUSTER);
  const long = split(together.others, LONG_FAULTS);
  const short = new Set(split(files, FAULT_CLASSES).named);
  return [...long.named.map((path) => [path]), together.named, ...long.others.map((path) => [path])].map(
    (paths) => ({
      ...{ name: 'faults', part: paths.map(nameOf).join(', '), paths, last: true },
      ...{ mode: 'distributed', needsServers: true, full: !paths.some((path) => short.has(path)) },
    }),
  );
}

/** Each second file, and the others: what is alike stands side by side, and takes alike long. */
const halvesOf = (files: string[]): string[][] => [
  files.filter((_, n) => n % 2 === 0),
  files.filter((_, n) => n % 2 === 1),
];
