import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';

export interface ViewCounter {
  views: number;
  /** When the item it counts is gone, in ms since the epoch. */
  expiresAt: number;
}

export interface ViewsSnapshot {
  counters: Map<string, ViewCounter>;
  /** Says that there is something to save. */
  changed(): void;
  /** Saves what is left and stops. */
  close(): Promise<void>;
}

interface SnapshotOptions {
  file: string;
  everyMs: number;
  clock: Clock;
  log: Logger;
}

/** View counters with a file behind them: written whole to a temporary one, synced and renamed. */
export async function openViewsSnapshot({
  file,
  everyMs,
  clock,
  log,
}: SnapshotOptions): Promise<ViewsSnapshot> {
  const counters = await load(file, log);
  let dirty = false;
  let saving = Promise.resolve();

  const save = async (): Promise<void> => {
    if (!dirty) return;
    dirty = false;
    for (const [key, counter] of counters) if (counter.expiresAt <= clock.now()) counters.delete(key);
    try {
      await write(file, JSON.stringify(Array.from(counters)));
    } catch (error) {
      dirty = true;
      log.error({ error }, 'the view counters could not be saved; trying again');
    }
  };
  const timer = setInterval(() => {
    saving = saving.then(save);
  }, everyMs);

  return {
    counters,
    changed() {
      dirty = true;
    },
    async close() {
      clearInterval(timer);
      await saving;
      await save();
    },
  };
}

async function load(file: string, log: Logger): Promise<Map<string, ViewCounter>> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    return new Map();
  }
  try {
    return new Map(JSON.parse(text) as Array<[string, ViewCounter]>);
  } catch (error) {
    log.error({ error, file }, 'the saved view counters are unreadable; counting starts at zero');
    return new Map();
  }
}

async function write(file: string, text: string): Promise<void> {
  const temporary = `${file}.new`;
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(temporary, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
