import { statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { watch } from 'chokidar';
import { IGNORE_FILE } from './source.ts';

/** An editor writes several times; what comes within so many ms counts as one change. */
const QUIET_MS = 150;

export interface PathWatch {
  /** Calls `publish` after changes, one call after the other, until the process is interrupted. */
  each(publish: () => Promise<void>): Promise<void>;
  /** A process with a watch that is not closed does not end. */
  close(): Promise<void>;
}

/** Watches a file, or all below a folder. From now on no change is missed, also before `each` is called. */
export async function watchPath(path: string): Promise<PathWatch> {
  const whole = resolve(path);
  const isFolder = statSync(whole, { throwIfNoEntry: false })?.isDirectory() ?? false;
  // A file is watched by its folder: editors put a new one in its place.
  const root = isFolder ? whole : dirname(whole);
  const watcher = watch(root, {
    ignoreInitial: true,
    followSymlinks: false,
    ...(isFolder ? {} : { depth: 0 }),
    ignored: (found) =>
      found !== root &&
      found !== whole &&
      basename(found) !== IGNORE_FILE &&
      /^(?:\.|node_modules$)/.test(basename(found)),
  });
  let isChanged = false;
  let onChange = (): void => undefined;
  watcher.on('all', (_, changed) => {
    if (!isFolder && changed !== whole) return;
    isChanged = true;
    onChange();
  });
  await new Promise<void>((ready) => watcher.once('ready', ready));
  return {
    close: () => watcher.close(),
    async each(publish) {
      let running: Promise<void> | null = null;
      let timer: NodeJS.Timeout | undefined;
      const run = async (): Promise<void> => {
        while (isChanged) {
          isChanged = false;
          await publish();
        }
        running = null;
      };
      onChange = () => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          running ??= run();
        }, QUIET_MS);
      };
      if (isChanged) onChange();
      await interrupted();
      clearTimeout(timer);
      await running;
    },
  };
}

const interrupted = (): Promise<void> =>
  new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end());
  });
