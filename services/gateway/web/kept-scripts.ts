import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nanoid } from 'nanoid';
import { bundleAll, ROOT, type Script, scriptEntries } from './bundle.ts';

/** Scripts as they were bundled last, and of what. */
interface Kept {
  readonly bun: string;
  /** The files that became scripts. */
  readonly entries: readonly string[];
  /** Digests of all files they are made of, by path from the root: a copied checkout has its own. */
  readonly digests: Readonly<Record<string, string>>;
  /** Text by name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** Where npm's tools keep what they can make again. */
const FILE = join(ROOT, 'node_modules/.cache/perch/scripts.json');

/** Other ones are for tests. */
const OF_PERCH = { root: ROOT, entries: scriptEntries, bundle: bundleAll };

/**
 * The scripts of the service's pages by name: those of an earlier start, as bundling takes a quarter of one, or new ones when
 * Bun or a source has changed since. Where the file cannot be written each start bundles.
 * @throws AggregateError for a fault in browser code
 */
export async function loadScripts(
  file = FILE,
  of: typeof OF_PERCH = OF_PERCH,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const entries = of.entries();
  const kept = await readKept(file);
  if (kept !== null && Bun.deepEquals(kept.entries, entries) && (await isOfToday(kept, of.root)))
    return new Map(Object.entries(kept.scripts).map(([name, text]) => [name, Buffer.from(text)]));
  const startedAt = Date.now();
  const scripts = await of.bundle();
  await keep(file, { scripts, entries, root: of.root, startedAt }).catch(() => undefined);
  return new Map(scripts.map(({ name, bytes }) => [name, bytes]));
}

/** `null` when there are none that this version of Bun has made. */
async function readKept(file: string): Promise<Kept | null> {
  try {
    const kept: Kept = JSON.parse(await readFile(file, 'utf8'));
    return kept.bun === Bun.version ? kept : null;
  } catch {
    return null;
  }
}

const isOfToday = ({ digests }: Kept, root: string): Promise<boolean> =>
  digestsOf(Object.keys(digests), root).then(
    (now) => Bun.deepEquals(now, digests),
    () => false,
  );

interface Made {
  scripts: readonly Script[];
  entries: readonly string[];
  root: string;
  startedAt: number;
}

/** Writes the whole file or nothing: processes that start at once may all do so. */
async function keep(file: string, { scripts, entries, root, startedAt }: Made): Promise<void> {
  const sources = [...new Set(scripts.flatMap((script) => script.sources))];
  const digests = await digestsOf(sources, root);
  const changes = await Promise.all(sources.map(async (path) => (await stat(join(root, path))).mtimeMs));
  // A script may have been made of an earlier state of such a source.
  if (changes.some((changedAt) => changedAt >= startedAt)) return;
  const kept: Kept = {
    ...{ bun: Bun.version, entries, digests },
    scripts: Object.fromEntries(scripts.map(({ name, bytes }) => [name, new TextDecoder().decode(bytes)])),
  };
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${nanoid()}`;
  try {
    await writeFile(draft, JSON.stringify(kept));
    await rename(draft, file);
  } finally {
    await rm(draft, { force: true });
  }
}

/** @throws Error when one cannot be read */
async function digestsOf(paths: readonly string[], root: string): Promise<Record<string, string>> {
  const digests = paths.map(async (path) => {
    const bytes = await readFile(join(root, path));
    return [path, createHash('sha256').update(bytes).digest('base64url')] as const;
  });
  return Object.fromEntries(await Promise.all(digests));
}
