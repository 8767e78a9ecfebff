import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { ItemKind } from './address.ts';
import { hasCode, withLock, writeFileAtomically } from './atomic-file.ts';
import { CommandError, EXIT } from './failures.ts';
import { unreadable } from './unreadable.ts';

/** Where a path was published to. */
export interface Published {
  kind: ItemKind;
  namespace: string;
  id: string;
  url: string;
  /** Left out when it has none. The password itself is kept nowhere. */
  hasPassword?: true;
}

/** Published items by server, then by name; `.` is the folder that the file lies in. */
type Records = Record<string, Record<string, Published>>;

const FILE = '.perch.json';

/** Where the path was published to on a server, as the `.perch.json` beside it says: of a folder, the one in it. */
export async function findRecord(path: string, server: string): Promise<Published | null> {
  const { file, name } = await placeOf(path);
  const records = await readRecords(file);
  const published = Object.hasOwn(records, server) ? records[server] : undefined;
  // A file may have the name of what every object inherits, such as `constructor`.
  if (published === undefined || !Object.hasOwn(published, name)) return null;
  const record = published[name];
  if (!isRecord(record)) throw damaged(file);
  return record;
}

/** Somebody may have edited the file. */
const isRecord = (record: Partial<Published> | null | undefined): record is Published =>
  [record?.kind, record?.namespace, record?.id, record?.url].every(
    (field) => typeof field === 'string' && field !== '',
  );

export const keepRecord = (path: string, server: string, published: Published): Promise<void> =>
  changeRecords(path, (records, name) => {
    records[server] = { ...records[server], [name]: published };
  });

export const dropRecord = (path: string, server: string): Promise<void> =>
  changeRecords(path, (records, name) => {
    const { [name]: _, ...others } = records[server] ?? {};
    records[server] = others;
  });

async function changeRecords(path: string, change: (records: Records, name: string) => void): Promise<void> {
  const { file, name } = await placeOf(path);
  await withLock(file, async () => {
    const records = await readRecords(file);
    change(records, name);
    await writeFileAtomically(file, `${JSON.stringify(records, null, 2)}\n`, 0o644);
  });
}

async function placeOf(path: string): Promise<{ file: string; name: string }> {
  const whole = resolve(path);
  const isFolder = (await stat(whole).catch(() => null))?.isDirectory() ?? false;
  if (isFolder) return { file: join(whole, FILE), name: '.' };
  return { file: join(dirname(whole), FILE), name: basename(whole) };
}

async function readRecords(file: string): Promise<Records> {
  try {
    const records: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (records !== null && typeof records === 'object') return records as Records;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return {};
    if (!(error instanceof SyntaxError)) throw unreadable(file, error, EXIT.unexpected);
  }
  throw damaged(file);
}

const damaged = (file: string): CommandError =>
  new CommandError(`${file} is damaged. Repair or remove it.`, EXIT.unexpected);
