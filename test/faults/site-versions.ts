import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';

/** Files of one version of a site; which those are differs between versions, too. */
export type SiteFiles = ReadonlyMap<string, Uint8Array>;

const FILES = 25;
const FILE_BYTES = 60_000;

/** Some megabytes: long enough on their way for a process to die meanwhile. Equal arguments, equal bytes. */
export function filesOf(site: string, version: number): SiteFiles {
  const paths = [
    'index.html',
    `only-in-${version}.txt`,
    ...Array.from({ length: FILES - 2 }, (_, n) => `assets/part-${n}.txt`),
  ];
  return new Map(paths.map((path) => [path, contentOf(`${site} ${version} ${path}`)]));
}

export const archiveOf = (files: SiteFiles): Uint8Array => zipSync(Object.fromEntries(files), { level: 0 });

function contentOf(name: string): Uint8Array {
  const line = `${name} ${createHash('sha256').update(name).digest('hex')}\n`;
  return Buffer.from(line.repeat(Math.ceil(FILE_BYTES / line.length)).slice(0, FILE_BYTES));
}
