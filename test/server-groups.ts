import { rm } from 'node:fs/promises';
import { temporaryFolder } from './servers.ts';

/** Servers of the test's own that are one together. `end` also removes their data. */
export async function startOwnGroup<Group extends { stop(): Promise<void> }>(
  start: (options: { dir: string }) => Promise<Group>,
): Promise<Group & { end(): Promise<void> }> {
  const dir = await temporaryFolder();
  const group = await start({ dir });
  return {
    ...group,
    async end() {
      await group.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
