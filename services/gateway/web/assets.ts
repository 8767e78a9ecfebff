import { readFileSync } from 'node:fs';

export interface Asset {
  readonly bytes: Uint8Array;
  readonly contentType: string;
  /** Strong, of the bytes, with its quotes. */
  readonly etag: string;
}

const TOKENS = new URL('../../../shared/pages/tokens.css', import.meta.url);

const CSS = 'text/css; charset=utf-8';
const SCRIPT = 'text/javascript; charset=utf-8';

/** The files behind `/assets/<name>`, read once when this module loads. */
export const assets: ReadonlyMap<string, Asset> = new Map([
  ['perch.css', asset(CSS, TOKENS, web('perch.css'))],
  ['copy.js', asset(SCRIPT, web('copy.js'))],
  ['publish.js', asset(SCRIPT, web('publish.js'))],
  ['favicon.svg', asset('image/svg+xml', web('favicon.svg'))],
]);

function web(name: string): URL {
  return new URL(name, import.meta.url);
}

function asset(contentType: string, ...files: URL[]): Asset {
  const bytes = Buffer.concat(files.map((file) => readFileSync(file)));
  const etag = `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  return { bytes, contentType, etag };
}
