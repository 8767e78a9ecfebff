import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Language } from '../http/language.ts';
import { type FixedBody, fixedBody, loadOnce } from './fixed-body.ts';
import { loadScripts } from './scripts.ts';

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

const SHARED_STYLES = [new URL('../../../shared/pages/tokens.css', import.meta.url), web('site-header.css')];

/** Style sheets of every page in this order: the later win. */
const PAGE_STYLES = [
  ...[
    'perch.css',
    'forms.css',
    'results.css',
    'publish-form.css',
    'editing.css',
    'item-pages.css',
    'overrides.css',
  ],
  ...['gallery.css', 'stats.css', 'owned.css'],
].map(web);

/** The service's own files by their names in the code, made once when this module loads. */
export const assets: ReadonlyMap<string, FixedBody> = new Map([
  ['perch.css', asset(CSS, ...SHARED_STYLES, ...PAGE_STYLES)],
  ['console.css', asset(CSS, web('console.css'))],
  ['charts.css', asset(CSS, installed('uplot/dist/uPlot.min.css'), web('charts.css'))],
  ['viewers.css', asset(CSS, web('viewers.css'))],
  ['docs.css', asset(CSS, ...SHARED_STYLES, web('docs.css'))],
  ['og.png', asset('image/png', web('og.png'))],
  ['favicon.svg', asset('image/svg+xml', web('favicon.svg'))],
  ['no-picture.svg', asset('image/svg+xml', web('no-picture.svg'))],
  ...(await loadScripts()).entries().map(([name, bytes]) => [name, fixedBody(bytes, SCRIPT)] as const),
]);

/** Large files of installed packages, read when they are first asked for. */
const PACKAGE_FILES = new Map([
  [
    'swagger-ui-bundle.js',
    loadOnce(async () => load(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'), SCRIPT)),
  ],
  [
    'mermaid.tiny.js',
    loadOnce(async () => load(import.meta.resolve('@mermaid-js/tiny/dist/mermaid.tiny.js'), SCRIPT)),
  ],
  ['swagger-ui.css', loadOnce(async () => load(import.meta.resolve('swagger-ui-dist/swagger-ui.css'), CSS))],
]);

/** The address of an asset names its content, too: `/assets/perch-0a1b2c3d4e.css`. */
const ADDRESSES = new Map(
  [...assets].map(([name, { bytes }]) => [name, `/assets/${hashedName(name, bytes)}`]),
);

/** The address of an asset in a page. @throws Error when there is none of that name */
export function assetAddress(name: string): string {
  const address = ADDRESSES.get(name);
  if (address === undefined) throw new Error(`there is no asset ${name}`);
  return address;
}

/** The address of the script of `browser/pages/<page>.ts`, with its texts in a language. */
export const scriptAddress = (page: string, language: Language): string =>
  assetAddress(`${page}.${language}.js`);

/** A file behind `/assets/`. */
interface FoundAsset {
  readonly body: FixedBody;
  readonly cacheControl: string;
}

/** Caching of an address that names its content, which never changes. */
const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Caching of any other address, which may bring something else with the next release. */
const ASK_EACH_TIME = 'no-cache';

const HASH = /-[0-9a-f]{10}(?=\.[a-z]+(?:\.[a-z]+)?$)/;

/**
 * The file behind `/assets/<name>`; `null` when there is none of that name. A name with the hash of another release gets
 * this release's file: while one replaces another, a page may come from one gateway and its assets from the next.
 */
export async function findAsset(name: string): Promise<FoundAsset | null> {
  const plain = name.replace(HASH, '');
  const body = assets.get(plain) ?? (await PACKAGE_FILES.get(plain)?.()) ?? null;
  if (body === null) return null;
  const isNamed = ADDRESSES.get(plain) === `/assets/${name}`;
  return { body, cacheControl: isNamed ? FOR_GOOD : ASK_EACH_TIME };
}

async function load(url: string, type: string): Promise<FixedBody> {
  return fixedBody(await readFile(new URL(url)), type);
}

function web(name: string): URL {
  return new URL(name, import.meta.url);
}

function installed(name: string): URL {
  return new URL(import.meta.resolve(name));
}

function asset(contentType: string, ...files: URL[]): FixedBody {
  return fixedBody(Buffer.concat(files.map((file) => readFileSync(file))), contentType);
}

/** `home.en.js` becomes `home-0a1b2c3d4e.en.js`. */
function hashedName(name: string, bytes: Uint8Array): string {
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 10);
  const [front, ...ending] = name.split('.');
  return `${front}-${hash}.${ending.join('.')}`;
}
