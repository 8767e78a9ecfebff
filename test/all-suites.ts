import { whyNoEngine } from '../infra/engine/find-engine.ts';
import { whyNoPowerCuts } from '../infra/power-cuts/disk.ts';
import type { Suite, Turn } from './suites.ts';
import {
  FAULT_CLASSES,
  filesOf,
  IN_FULL_ALONE,
  IN_TIME,
  JOURNEYS,
  LONG_FAULTS,
  nameOf,
  OF_ADAPTERS,
  OF_EMBEDDED,
  OF_SECOND_MODE,
  ON_ONE_CLUSTER,
  split,
} from './test-files.ts';

/** The suites, side by side the longest first: what is left at the end should be short. `docs/testing.md` says why each is where it is. */
export function allSuites(): Suite[] {
  const adapters = split(filesOf('acceptance'), OF_ADAPTERS);
  const secondMode = split(adapters.others, OF_SECOND_MODE);
  const requests = split(adapters.others, IN_FULL_ALONE.acceptance);
  const contracts = split(filesOf('contracts'), IN_FULL_ALONE.contracts);
  const clients = split(filesOf('clients'), IN_FULL_ALONE.clients);
  const deployment = split(filesOf('deployment'), IN_FULL_ALONE.deployment);
  const browser = split(filesOf('browser'), IN_FULL_ALONE.browser);
  const faults = faultSuites();
  return [
    // They take long, but little of the processor.
    ...faults.filter(({ turn }) => turn === 'others'),
    ...inParts(3, {
      name: 'acceptance on embedded',
      paths: requests.others,
      mode: 'embedded',
      needsServers: false,
    }),
    ...inParts(2, {
      name: 'acceptance on distributed',
      part: 'more of adapters',
      paths: secondMode.named,
      mode: 'distributed',
      needsServers: true,
      from: 'full',
    }),
    ...inParts(2, {
      name: 'acceptance on distributed',
      part: 'the other files',
      paths: secondMode.others,
      mode: 'distributed',
      needsServers: true,
      from: 'night',
    }),
    ...inParts(2, {
      name: 'acceptance on embedded',
      part: 'the other files',
      paths: [...adapters.named, ...requests.named],
      mode: 'embedded',
      needsServers: false,
      from: 'full',
    }),
    ...inParts(3, { name: 'contracts', paths: contracts.others, mode: 'embedded', needsServers: true }),
    {
      name: 'contracts',
      part: 'what takes long',
      paths: contracts.named,
      mode: 'embedded',
      needsServers: true,
      from: 'full',
    },
    { name: 'browser', paths: browser.others, mode: 'embedded', needsServers: false },
    ...inParts(2, {
      name: 'browser',
      part: 'what takes long',
      paths: browser.named,
      mode: 'embedded',
      needsServers: false,
      from: 'full',
    }),
    {
      name: 'browser on distributed',
      paths: split(filesOf('browser'), JOURNEYS).named,
      mode: 'distributed',
      needsServers: true,
      from: 'night',
    },
    {
      name: 'acceptance on distributed',
      paths: adapters.named,
      mode: 'distributed',
      needsServers: true,
    },
    ...inParts(2, { name: 'unit', paths: filesOf('unit'), mode: 'embedded', needsServers: false }),
    {
      name: 'compose',
      paths: ['./test/compose'],
      mode: 'distributed',
      needsServers: false,
      from: 'night',
      whyNot: whyNoEngine,
    },
    { name: 'clients on embedded', paths: clients.others, mode: 'embedded', needsServers: false },
    {
      name: 'clients on embedded',
      part: 'more of the command',
      paths: clients.named,
      mode: 'embedded',
      needsServers: false,
      from: 'full',
    },
    {
      name: 'clients on distributed',
      paths: ['./test/clients/client.test.ts'],
      mode: 'distributed',
      needsServers: true,
      from: 'full',
    },
    { name: 'deployment', paths: deployment.others, mode: 'distributed', needsServers: false },
    {
      name: 'deployment',
      part: 'what takes long',
      paths: deployment.named,
      mode: 'distributed',
      needsServers: false,
      from: 'full',
    },
    { name: 'interface document', paths: ['./test/openapi'], mode: 'embedded', needsServers: false },
    {
      name: 'fuzz on distributed',
      paths: ['./test/fuzz'],
      mode: 'distributed',
      needsServers: true,
      from: 'full',
    },
    {
      name: 'fuzz on embedded',
      paths: ['./test/fuzz'],
      mode: 'embedded',
      needsServers: false,
      from: 'full',
    },
    {
      name: 'attacks',
      paths: ['./test/attacks'],
      mode: 'embedded',
      needsServers: false,
      from: 'full',
    },
    {
      name: 'power cuts',
      paths: ['./test/power-cuts'],
      mode: 'embedded',
      needsServers: false,
      from: 'full',
      whyNot: async () => whyNoPowerCuts(),
    },
    ...faults.filter(({ turn }) => turn !== 'others'),
  ];
}

function faultSuites(): Suite[] {
  const files = filesOf('faults');
  const alone = new Set(split(files, IN_TIME).named);
  const embedded = new Set(split(files, OF_EMBEDDED).named);
  const turnOf = (paths: string[]): Turn => {
    if (paths.some((path) => alone.has(path))) return 'alone';
    return paths.every((path) => embedded.has(path)) ? 'others' : 'faults';
  };
  const together = split(files, ON_ONE_CLUSTER);
  const long = split(together.others, LONG_FAULTS);
  const short = new Set(split(files, FAULT_CLASSES).named);
  return [together.named, ...long.named.map((path) => [path]), ...long.others.map((path) => [path])].map(
    (paths) => ({
      name: 'faults',
      part: paths.map(nameOf).join(', '),
      paths,
      turn: turnOf(paths),
      mode: 'distributed',
      needsServers: turnOf(paths) !== 'others',
      from: paths.some((path) => short.has(path)) ? 'short' : 'full',
    }),
  );
}

/** Suites that take the files in turn: what is alike stands side by side, and takes alike long. */
const inParts = (count: number, suite: Suite): Suite[] =>
  Array.from({ length: count }, (_, part) => ({
    ...suite,
    part: [suite.part ?? [], `part ${part + 1}`].flat().join(', '),
    paths: suite.paths.filter((_, n) => n % count === part),
  }));
