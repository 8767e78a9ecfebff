import { existsSync, statSync, watch as watchNames } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type FSWatcher, watch } from 'chokidar';
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
  let isChanged = false;
  let onChange = (): void => undefined;
  const changed = (): void => {
    isChanged = true;
    onChange();
  };
  const watcher = await (isFolder ? watchFolder(whole, changed) : watchFile(whole, changed));
  return {
    close: () => watcher.close(),
    async each(publish) {
      let running: Promise<void> | null = null;
      let timer: NodeJS.Timeout | undefined;
      const run = async (): Promise<void> => {
        while (isChanged) {
          isChanged = false;
          // A build may have removed it, to make it anew.
          await (existsSync(whole) ? publish() : null);
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

/** A file is watched by its folder: editors put a new one in its place. */
function watchFile(file: string, changed: () => void): Promise<Closable> {
  const root = dirname(file);
  return started(
    watch(root, { ...QUIETLY, depth: 0, ignored: (path) => path !== root && path !== file }),
    changed,
  );
}

/** A folder that a build removes and makes anew is another one, of which its watcher does not learn: it gets a new watcher. */
async function watchFolder(folder: string, changed: () => void): Promise<Closable> {
  let inside = watchBelow(folder, changed);
  const around = watchNames(dirname(folder), (event, name) => {
    if (event !== 'rename' || name !== basename(folder)) return;
    inside = inside.then(async (before) => {
      await before.close();
      const next = await watchBelow(folder, changed);
      changed();
      return next;
    });
  });
  // The folder around it is gone, and this one with it.
  around.on('error', () => around.close());
  await inside;
  return {
    async close() {
      around.close();
      await (await inside).close();
    },
  };
}

interface Closable {
  close(): Promise<void>;
}

const QUIETLY = { ignoreInitial: true, followSymlinks: false };

function watchBelow(root: string, changed: () => void): Promise<Closable> {
  const ignored = (path: string): boolean =>
    path !== root && basename(path) !== IGNORE_FILE && /^(?:\.|node_modules$)/.test(basename(path));
  return started(watch(root, { ...QUIETLY, ignored }), changed);
}

async function started(watcher: FSWatcher, changed: () => void): Promise<Closable> {
  watcher.on('all', changed);
  await new Promise<void>((ready) => watcher.once('ready', ready));
  return watcher;
}

const interrupted = (): Promise<void> =>
  new Promise((end) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end());
  });
