import { basename, join } from 'node:path';
import type { BunPlugin } from 'bun';
import { LANGUAGES, type Language } from '../http/language.ts';

/** A script of the service's pages, bundled with all it imports. */
export interface Script {
  /** `<page>.<language>.js` */
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Bundles browser code: each file of `browser/pages/` becomes a script of its own, in each language. Made in memory; the
 * result depends on the sources and the version of Bun alone, so that all gateways of a release have equal scripts.
 * No chunks are shared between scripts: while one release replaces another, a script and what it imports could come
 * from gateways of both.
 */
export async function bundleScripts(folder = join(import.meta.dirname, 'browser/pages')): Promise<Script[]> {
  const pages = [...new Bun.Glob('*.ts').scanSync({ cwd: folder, absolute: true })].toSorted();
  return (await Promise.all(LANGUAGES.map((language) => bundleIn(language, pages)))).flat();
}

/** All pages at once: a build of each page took ten times as long, and only spared it the texts of other scripts. */
async function bundleIn(language: Language, pages: string[]): Promise<Script[]> {
  const { outputs } = await Bun.build({
    ...{ entrypoints: pages, target: 'browser', format: 'esm', minify: true, splitting: false },
    ...{ naming: '[name].[ext]', plugins: [textsIn(language)] },
  });
  return await Promise.all(
    outputs.map(async (output) => ({
      name: `${basename(output.path, '.js')}.${language}.js`,
      bytes: new Uint8Array(await output.arrayBuffer()),
    })),
  );
}

/** Puts the texts of one language in place of `texts/page-language.ts`. */
const textsIn = (language: Language): BunPlugin => ({
  name: 'texts',
  setup(build) {
    const path = join(import.meta.dirname, 'texts', `${language}.ts`);
    build.onResolve({ filter: /\/texts\/page-language\.ts$/ }, () => ({ path }));
  },
});
