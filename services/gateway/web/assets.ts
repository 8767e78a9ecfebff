import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type FixedBody, fixedBody } from './fixed-body.ts';
import { loadOnce } from './load-once.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const SHARED_STYLES = [new URL('../../../shared/pages/tokens.css', import.meta.url), web('site-header.css')];

/** In this order: the later win. */
const PAGE_STYLES = [
  ...['perch.css', 'forms.css', 'results.css', 'publish-form.css', 'item-pages.css', 'overrides.css'],
  ...['gallery.css', 'stats.css'],
].map(web);

/** The service's own files behind `/assets/<name>`, read once when this module loads. */
export const assets: ReadonlyMap<string, FixedBody> = new Map([
  ['perch.css', asset(CSS, ...SHARED_STYLES, ...PAGE_STYLES)],
  ['docs.css', asset(CSS, ...SHARED_STYLES, web('docs.css'))],
  ['copy.js', asset(SCRIPT, web('copy.js'))],
  ['gallery.js', asset(SCRIPT, web('gallery.js'))],
  ['docs.js', asset(SCRIPT, web('docs.js'))],
  ['publish.js', asset(SCRIPT, web('publish.js'))],
  ['publish-results.js', asset(SCRIPT, web('publish-results.js'))],
  ['dropped-files.js', asset(SCRIPT, web('dropped-files.js'))],
  ['elements.js', asset(SCRIPT, web('elements.js'))],
  ['stats.js', asset(SCRIPT, web('stats.js'))],
  ['upload.js', asset(SCRIPT, web('upload.js'))],
  ['og.png', asset('image/png', web('og.png'))],
  ['favicon.svg', asset('image/svg+xml', web('favicon.svg'))],
]);

/** Large files of installed packages, read when they are first asked for. */
const PACKAGE_FILES = new Map([
  [
    'swagger-ui-bundle.js',
    loadOnce(async () => load(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'), SCRIPT)),
  ],
  ['swagger-ui.css', loadOnce(async () => load(import.meta.resolve('swagger-ui-dist/swagger-ui.css'), CSS))],
]);

/** The file behind `/assets/<name>`; `null` when there is none of that name. */
export async function findAsset(name: string): Promise<FixedBody | null> {
  return assets.get(name) ?? (await PACKAGE_FILES.get(name)?.()) ?? null;
}

async function load(url: string, type: string): Promise<FixedBody> {
  return fixedBody(await readFile(new URL(url)), type);
}

function web(name: string): URL {
  return new URL(name, import.meta.url);
}

function asset(contentType: string, ...files: URL[]): FixedBody {
  return fixedBody(Buffer.concat(files.map((file) => readFileSync(file))), contentType);
}
