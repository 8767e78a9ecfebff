import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import type { Clock } from '../../clock.ts';
import { errorCode } from '../../error-code.ts';
import type { Logger } from '../../logger.ts';

const ViewCounter = Type.Object({
  views: Type.Integer(),
  /** The short code of the item it counts, once a record has told: another may have its address by now. */
  code: Type.Optional(Type.String()),
  /** When the item it counts is gone, in ms since the epoch. */
  expiresAt: Type.Integer(),
  /** Whether it does not say what was counted before it: no record was known when it began. */
  unseeded: Type.Optional(Type.Boolean()),
});
export type ViewCounter = Static<typeof ViewCounter>;

const saved = TypeCompiler.Compile(Type.Array(Type.Tuple([Type.String(), ViewCounter])));

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
  // A crash may have left an unfinished snapshot.
  await rm(temporaryOf(file), { force: true });
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
  try {
    const entries: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (!saved.Check(entries)) throw new TypeError(saved.Errors(entries).First()?.message);
    return new Map(entries);
  } catch (error) {
    const isFirstStart = errorCode(error) === 'ENOENT';
    if (!isFirstStart) {
      log.error({ error, file }, 'the saved view counters are unreadable; counting starts at zero');
    }
    return new Map();
  }
}

const temporaryOf = (file: string): string => `${file}.new`;

async function write(file: string, text: string): Promise<void> {
  const temporary = temporaryOf(file);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, file);
}
