/** Uses in a site of things that need an origin, or the root of a host, for the site alone: it has neither here. */
export interface SiteConcerns {
  /** Addresses that begin at the root of the host, as written, each once. */
  rootRefs: readonly string[];
  /** Paths of scripts and pages that use storage of the browser. */
  storage: readonly string[];
}

interface SiteInspector {
  look(path: string, contentType: string, bytes: Uint8Array): void;
  concerns(): SiteConcerns;
}

/** Most addresses, and most paths, that are named. */
const MAX_NAMED = 50;

/** Bytes of a page that are searched for addresses: its head and the beginning of its body load the rest. */
const SEARCHED_BYTES = 262_144;

/**
 * A file that is loaded with a page, or a link, by the address below the root of the host. One without quotes is taken for
 * an expression of a script (`src=/a/.test(b);`) when it has a semicolon or a bracket.
 */
const ROOT_REF =
  /\s(?:src|href)(?:\s*=\s*(?:"(\/(?![/"])[^"\s]{0,500})"|'(\/(?![/'])[^'\s]{0,500})')|=(\/(?!\/)[^\s"'`<=>;()]{1,500})(?=[\s>]))/gi;

const STORAGE = ['localStorage', 'sessionStorage', 'indexedDB'];

/** Looks at the files of a site as they are packed: bounded for each, as sites have up to a thousand. */
export function createSiteInspector(): SiteInspector {
  const rootRefs = new Set<string>();
  const storage = new Set<string>();
  return {
    look(path, contentType, bytes) {
      const isPage = contentType.startsWith('text/html');
      if (!isPage && !contentType.startsWith('text/javascript')) return;
      const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      if (storage.size < MAX_NAMED && STORAGE.some((name) => content.includes(name))) storage.add(path);
      if (!isPage || rootRefs.size >= MAX_NAMED) return;
      const text = content.toString('latin1', 0, SEARCHED_BYTES);
      for (const [, double, single, bare] of text.matchAll(ROOT_REF)) {
        if (rootRefs.size >= MAX_NAMED) break;
        rootRefs.add(Buffer.from(double ?? single ?? bare ?? '', 'latin1').toString());
      }
    },
    concerns: () => ({ rootRefs: [...rootRefs], storage: [...storage] }),
  };
}
