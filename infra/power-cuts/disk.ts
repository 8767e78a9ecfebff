import { existsSync } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { commandPath } from '../servers/debian.ts';
import { until } from '../until.ts';

export const FILE_SYSTEMS = ['ext4', 'xfs'] as const;
export type FileSystem = (typeof FILE_SYSTEMS)[number];

/** A file system on a loop device whose power can be cut. */
export interface CuttableDisk {
  /** Where it is mounted. */
  path: string;
  /**
   * From this moment on nothing is written to the device any more, and every call fails with EIO: what is not synced by
   * then is lost. Uses the kernel's own crash switch (FS_IOC_SHUTDOWN without flushing the journal, as xfstests do).
   */
  cut(): Promise<void>;
  /** Mounts it anew, which replays its journal. Nobody may have a file of it open. */
  remount(): Promise<void>;
  unmount(): Promise<void>;
}

/** Why this machine cannot cut the power of a disk; `null` when it can. */
export function whyNoPowerCuts(): string | null {
  if (process.geteuid?.() !== 0) return 'it mounts disks: run it as root';
  return existsSync('/dev/loop-control') ? null : 'it mounts disks, and there are no loop devices';
}

const MAKE = { ext4: ['mkfs.ext4', '-q', '-F'], xfs: ['mkfs.xfs', '-q', '-f'] } as const;

/** How long killed processes may take to let go of their files, in ms. */
const BUSY_MS = 20_000;

/** Makes an image file and a mount point in a folder. Wants root, the right to mount, and a free loop device. */
export async function mountCuttableDisk(
  folder: string,
  { fileSystem, bytes }: { fileSystem: FileSystem; bytes: number },
): Promise<CuttableDisk> {
  const image = join(folder, 'disk.img');
  const path = join(folder, 'disk');
  const file = await open(image, 'w');
  await file.truncate(bytes);
  await file.close();
  await mkdir(path);
  const [make, ...flags] = MAKE[fileSystem];
  await run(commandPath(make), ...flags, image);
  const mount = () => run('mount', '-o', 'loop', image, path);
  await mount();
  let isMounted = true;

  const unmount = async (): Promise<void> => {
    if (!isMounted) return;
    await until(`${path} is unmounted`, async () => (await tryRun('umount', path)) === '', BUSY_MS);
    isMounted = false;
  };
  return {
    path,
    unmount,
    cut: () => run(commandPath('xfs_io'), '-x', '-c', 'shutdown', path),
    async remount() {
      await unmount();
      await mount();
      isMounted = true;
    },
  };
}

/** Returns what the command says of its failure; nothing when it has done its work. */
async function tryRun(...command: string[]): Promise<string> {
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'pipe' });
  const [exitCode, said] = await Promise.all([child.exited, child.stderr.text()]);
  return exitCode === 0 ? '' : said.trim() || `ended with ${exitCode}`;
}

async function run(...command: string[]): Promise<void> {
  const failure = await tryRun(...command);
  if (failure !== '')
    throw new Error(`${command.join(' ')}: ${failure}. Power cuts want root and loop devices.`);
}
