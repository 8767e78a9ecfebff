import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { nanoid } from 'nanoid';
import { LANGUAGES, type Language } from '../http/language.ts';

/** A script of the service's pages, bundled with all it imports. */
export interface Script {
  /** `<page>.<language>.js`, or `<name>.js` of a part. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Paths from `ROOT` of the files it is made of. */
  readonly sources: readonly string[];
}

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

const ROOT = resolve(import.meta.dirname, '../../..');

const PAGES = join(import.meta.dirname, 'browser/pages');
const PARTS = join(import.meta.dirname, 'browser/parts');

/** Where npm's tools keep what they can make again. */
const FILE = join(ROOT, 'node_modules/.cache/perch/scripts.json');

/** The service's own scripts; other ones are for tests. */
const OF_PERCH = {
  root: ROOT,
  /** Paths from `root` of the files that become scripts. */
  entries: (): string[] => [PAGES, PARTS].flatMap(scriptsIn).map((path) => relative(ROOT, path)),
  bundle: async (): Promise<Script[]> => (await Promise.all([bundleScripts(), bundleParts()])).flat(),
};

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
    bun: Bun.version,
    entries,
    digests,
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

/**
 * Bundles browser code: each file of `browser/pages/` becomes a script of its own, in each language. Made in memory; the
 * result depends on the sources and the version of Bun alone, so that all gateways of a release have equal scripts.
 * No chunks are shared between scripts: while one release replaces another, a script and what it imports could come
 * from gateways of both.
 */
export const bundleScripts = (folder = PAGES): Promise<Script[]> =>
  Promise.all(
    LANGUAGES.flatMap((language) =>
      scriptsIn(folder).map((page) => bundle(page, `${language}.js`, [textsIn(language)])),
    ),
  );

/**
 * Bundles the scripts that pages load when they need them, and that have no texts: each file of `browser/parts/` becomes a
 * script of its own, `<name>.js`.
 */
const bundleParts = (): Promise<Script[]> => Promise.all(scriptsIn(PARTS).map((part) => bundle(part, 'js')));

function scriptsIn(folder: string): string[] {
  return [...new Bun.Glob('*.ts').scanSync({ cwd: folder, absolute: true })].toSorted();
}

/** A build for each script: a build of several puts every section of the texts that one of them needs into all of them. */
async function bundle(source: string, ending: string, plugins: BunPlugin[] = []): Promise<Script> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [source],
    target: 'browser',
    format: 'esm',
    minify: true,
    splitting: false,
    plugins,
    metafile: true,
  });
  const [output] = outputs;
  if (output === undefined) throw new Error(`there is no script of ${source}`);
  return {
    name: `${basename(source, '.ts')}.${ending}`,
    bytes: new Uint8Array(await output.arrayBuffer()),
    // Bun names them from the folder that this process was started in.
    sources: Object.keys(metafile?.inputs ?? {})
      .map((path) => relative(ROOT, resolve(path)))
      .toSorted(),
  };
}

/** Puts the texts of one language in place of `texts/page-language.ts`. */
const textsIn = (language: Language): BunPlugin => ({
  name: 'texts',
  setup(build) {
    const path = join(import.meta.dirname, 'texts', `${language}.ts`);
    build.onResolve({ filter: /\/texts\/page-language\.ts$/ }, () => ({ path }));
  },
});
