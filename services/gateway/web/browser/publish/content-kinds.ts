/** The kinds that the form publishes. */
export type FormKind = 'page' | 'file' | 'site' | 'json' | 'kv';

interface NamedFile {
  /** Path with the folder that it was chosen with. */
  readonly path: string;
  readonly bytes: number;
}

const MB = 1_048_576;

/** The kind that dropped files are meant as: folders and ZIPs are sites, texts pages, data documents. */
export function kindOfFiles(files: readonly NamedFile[]): Exclude<FormKind, 'kv'> {
  const [only, ...others] = files;
  if (only === undefined) return 'file';
  if (files.some(({ path }) => path.includes('/'))) return 'site';
  if (others.length > 0) return files.some(({ path }) => /\.html?$/i.test(path)) ? 'site' : 'file';
  if (/\.zip$/i.test(only.path)) return 'site';
  if (formatOfFile(only.path) !== null && only.bytes <= 5 * MB) return 'page';
  return /\.json$/i.test(only.path) && only.bytes <= MB ? 'json' : 'file';
}

export type PageFormat = 'MARKDOWN' | 'HTML' | 'TEXT';

/** The format of a page by the name of its file; `null` for what is no page. */
export function formatOfFile(name: string): PageFormat | null {
  if (/\.(?:md|markdown)$/i.test(name)) return 'MARKDOWN';
  if (/\.html?$/i.test(name)) return 'HTML';
  return /\.txt$/i.test(name) ? 'TEXT' : null;
}

/** Whether a text is a whole HTML document: a snippet of HTML may as well be markdown. */
export const looksLikeHtml = (text: string): boolean =>
  /^\uFEFF?\s*(?:<!--(?:(?!-->)[\s\S]){0,1000}-->\s*)?<(?:!doctype\s+html|html[\s>])/i.test(
    text.slice(0, 2_000),
  );

/** Whether bytes begin like a ZIP (APPNOTE 4.3.6), an empty one included. */
export const looksLikeZip = (start: Uint8Array): boolean =>
  start[0] === 0x50 && start[1] === 0x4b && (start[2] === 3 || start[2] === 5) && start[3] === start[2] + 1;
