import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Suite } from './suites.ts';

/** What `npm test` runs. Side by side the longest goes first: what is left at the end should be short. */
export const allSuites = (): Suite[] => [
  { name: 'acceptance on distributed', path: './test/acceptance', mode: 'distributed', needsServers: true },
  { name: 'acceptance on embedded', path: './test/acceptance', mode: 'embedded', needsServers: false },
  { name: 'browser', path: './test/browser', mode: 'embedded', needsServers: false },
  { name: 'contracts', path: './test/contracts', mode: 'embedded', needsServers: true },
  { name: 'interface document', path: './test/openapi', mode: 'embedded', needsServers: false },
  { name: 'unit', path: './test/unit', mode: 'embedded', needsServers: false },
  { name: 'deployment', path: './test/deployment', mode: 'distributed', needsServers: false },
  ...faultFiles().map(
    (path): Suite => ({
      ...{ name: 'faults', part: basename(path, '.test.ts'), path: `./${path}`, last: true },
      ...{ mode: 'distributed', needsServers: true },
    }),
  ),
];

/** File by file, so that both lanes end together; the longest first. */
function faultFiles(): string[] {
  const files = globSync('test/faults/*.test.ts', { cwd: join(import.meta.dirname, '..') }).toSorted();
  const isLong = (path: string): boolean => path.includes('embedded-kills');
  return [...files.filter(isLong), ...files.filter((path) => !isLong(path))];
}
