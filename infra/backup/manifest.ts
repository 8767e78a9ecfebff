import { createHash } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { type Static, Type } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';
import { errorCode } from '../../shared/error-code.ts';
import { syncPath } from '../../shared/sync-path.ts';
import { pathsOf } from './backup-folder.ts';
import { ToolError } from './run-tool.ts';

const Count = Type.Integer({ minimum: 0 });
const Hash = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Within the backup's folder. */
const File = Type.String({ pattern: '^data-[0-9A-Z]+/[a-z0-9_-]+\\.[a-z]+$' });
const Name = Type.String({ pattern: '^[a-z][a-z0-9_]*$' });

const TableFile = Type.Object({
  name: Name,
  columns: Type.Array(Name),
  file: File,
  rows: Count,
  bytes: Count,
  sha256: Hash,
});
export type TableFile = Static<typeof TableFile>;

const Manifest = Type.Object({
  format: Type.Literal(1),
  /** When the snapshot was taken. */
  madeAt: Type.String(),
  /** The newest migration of the database. */
  schema: Type.Integer({ minimum: 1 }),
  withLog: Type.Boolean(),
  /** The days that the access log has room for, as ms since the epoch. */
  logDays: Type.Array(Type.Integer()),
  /** Tells whether a cookie secret is the one of then; `null` when it was not known. */
  cookieSecretMark: Type.Union([Hash, Type.Null()]),
  /** In an order in which they can be filled. */
  tables: Type.Array(TableFile),
  sequences: Type.Array(Type.Object({ name: Name, value: Count })),
  /** `file` lists the blobs in the order of their keys, a line each: key, size, SHA-256. */
  blobs: Type.Object({ file: File, count: Count, bytes: Count, sha256: Hash }),
});
export type Manifest = Static<typeof Manifest>;

const manifestCheck = TypeCompiler.Compile(Manifest);

/** The manifest stands in its file beside its own SHA-256. */
const seal = (manifest: Manifest): string => {
  const body = JSON.stringify(manifest);
  return `${JSON.stringify({ manifest, sha256: sha256(body) }, null, 1)}\n`;
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Puts the manifest in its place: from here on this is the backup. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = pathsOf(folder).manifest;
  const file = await open(`${path}.new`, 'w', 0o600);
  try {
    await file.writeFile(seal(manifest));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncPath(folder);
}

/** @throws ToolError when there is none, or it is damaged */
export async function readManifest(folder: string): Promise<Manifest> {
  const path = pathsOf(folder).manifest;
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ToolError(
      `${folder} holds no finished backup: its manifest.json cannot be read (${errorCode(error)}).`,
      { cause: error },
    );
  }
  const damaged = new ToolError(`${path} is damaged. Take another copy of the backup.`);
  let sealed: unknown;
  try {
    sealed = JSON.parse(text);
  } catch {
    throw damaged;
  }
  if (typeof sealed !== 'object' || sealed === null || !('manifest' in sealed) || !('sha256' in sealed))
    throw damaged;
  const { manifest, sha256: expected } = sealed;
  if (sha256(JSON.stringify(manifest)) !== expected) throw damaged;
  if (manifestCheck.Check(manifest)) return manifest;
  throw new ToolError(`${path} is in a form that this release does not know. Use the release that made it.`);
}

/**
 * The manifest of a backup that is about to be replaced; `null` when there is none.
 * @throws ToolError when there is one that cannot be used: what it lists may still be the only backup
 */
export async function findManifest(folder: string): Promise<Manifest | null> {
  try {
    return await readManifest(folder);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    if (errorCode(error.cause) === 'ENOENT') return null;
    throw new ToolError(`${error.message} Nothing was removed: repair it, or choose another folder.`);
  }
}
