import { basename, join, relative, resolve } from 'node:path';
import type { BunPlugin } from 'bun';
import { LANGUAGES, type Language } from '../http/language.ts';

/** A script of the service's pages, bundled with all it imports. */
export interface Script {
  /** `<page>.<language>.js`, or `<name>.js` of a part. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Paths from `ROOT` of the files it is made of. */
  readonly sources: readonly string[];
}

export const ROOT = resolve(import.meta.dirname, '../../..');

const PAGES = join(import.meta.dirname, 'browser/pages');
const PARTS = join(import.meta.dirname, 'browser/parts');

/** Paths from `ROOT` of the files that become scripts. */
export const scriptEntries = (): string[] =>
  [PAGES, PARTS].flatMap(scriptsIn).map((path) => relative(ROOT, path));

/** The scripts of all pages, and of their parts. */
export const bundleAll = async (): Promise<Script[]> =>
  (await Promise.all([bundleScripts(), bundleParts()])).flat();

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
    ...{ entrypoints: [source], target: 'browser', format: 'esm', minify: true, splitting: false },
    ...{ plugins, metafile: true },
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
