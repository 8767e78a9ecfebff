import { expect, test } from 'bun:test';
import { resolve } from 'node:path';

/** Of each major version of Node that Perch is installed with. */
const NODES = ['20.20.2', '22.22.0'];

interface LockedPackage {
  /** Left out where it does not fit, without a warning. */
  optional?: boolean;
  engines?: { node?: string };
}

test('npm warns of no package that wants another Node', async () => {
  const lock: unknown = await Bun.file(resolve(import.meta.dirname, '../../package-lock.json')).json();
  const { packages } = lock as { packages: Record<string, LockedPackage> };
  const refusing = Object.entries(packages).filter(
    ([, { optional, engines }]) =>
      optional !== true &&
      NODES.some((node) => engines?.node !== undefined && !Bun.semver.satisfies(node, engines.node)),
  );
  expect(refusing.map(([path, { engines }]) => `${path} wants ${engines?.node}`)).toEqual([]);
});
