import { constants, openAsBlob, type Stats } from 'node:fs';
import { access, readdir, readFile, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileTypeFromBuffer } from 'file-type';
import ignore, { type Ignore } from 'ignore';
import type { SiteContent, SiteFile } from 'perch-client';
import { hasCode } from './atomic-file.ts';
import { CommandError } from './failures.ts';
import { unreadable, unreadContent } from './unreadable.ts';

/** Something to publish, and what kind of item it makes. */
export type Source =
  | {
      kind: 'html';
      content: Blob;
      contentType: string;
      format: 'text' | undefined;
      filename: string | undefined;
    }
  | { kind: 'json'; content: Blob }
  | { kind: 'file'; content: Blob; filename: string }
  | { kind: 'site'; content: SiteContent; links: string[] };

/** Kinds that `--kind` can ask for. A page is `html` in lists, as the service calls it. */
export const PUBLISHABLE = ['page', 'html', 'json', 'file', 'site'] as const;
type Publishable = (typeof PUBLISHABLE)[number];

/** Texts that the service shows as what they are. */
const PAGE_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.htm': 'text/html',
  '.md': 'text/markdown',
  '.markdown': 'text/markdown',
  '.yaml': 'text/yaml',
  '.yml': 'text/yaml',
  '.xml': 'text/xml',
  '.csv': 'text/csv',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.toml': 'text/x-toml',
};

/** How much of a content is looked at to tell its kind, in bytes. */
const SAMPLE = 65_536;

/** Reads a file, a folder, or with `-` what comes in; `name` stands for its name. */
export async function readSource(
  path: string,
  { kind, name }: { kind: Publishable | undefined; name: string | undefined },
): Promise<Source> {
  if (path === '-') {
    const bytes = await buffer(process.stdin);
    if (bytes.byteLength === 0) throw new CommandError('Nothing came in on stdin.');
    return sourceOf(new Blob([Uint8Array.from(bytes)]), name, kind);
  }
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR'))
      throw new CommandError(`There is no file or folder ${path}.`);
    throw unreadable(path, error);
  });
  if (!found.isDirectory()) {
    const content = await contentOf(path, found);
    return sourceOf(content, name ?? basename(path), kind).catch(async (error: unknown) => {
      throw await unreadContent(path, error);
    });
  }
  if (kind !== undefined && kind !== 'site')
    throw new CommandError(
      `${path} is a folder, which only becomes a site. Give one file, or publish the folder: perch publish ${path}`,
    );
  const { paths, links } = await pathsOfSite(path);
  if (paths.length === 0) throw new CommandError(`${path} has no files to publish.`);
  return { kind: 'site', content: await openFiles(path, paths), links };
}

/** The content of a file. A pipe, and a file that the kernel makes up, have no size: they are read to their end. */
async function contentOf(path: string, found: Stats): Promise<Blob> {
  if (found.isFile() && found.size > 0) return openFile(path);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!found.isFile() && bytes.byteLength === 0) throw new CommandError(`Nothing came in from ${path}.`);
  return new Blob([Uint8Array.from(bytes)]);
}

/** @throws CommandError for one that may not be read: a Blob of it would say so when it is sent, and not why */
async function openFile(path: string): Promise<Blob> {
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  return openAsBlob(path);
}

async function sourceOf(
  content: Blob,
  name: string | undefined,
  kind: Publishable | undefined,
): Promise<Source> {
  const extension = extname(name ?? '').toLowerCase();
  const contentType = PAGE_TYPES[extension];
  const page = (): Source => ({
    kind: 'html',
    content,
    filename: name,
    contentType: contentType ?? 'text/plain',
    // Text of another kind is not looked at for what it begins with.
    format: contentType === undefined && extension !== '' ? 'text' : undefined,
  });
  if (kind === 'page' || kind === 'html') return page();
  if (kind === 'json') return { kind: 'json', content };
  if (kind === 'site') return { kind: 'site', content: { archive: content }, links: [] };
  const sample = new Uint8Array(await content.slice(0, SAMPLE).arrayBuffer());
  const sniffed = await fileTypeFromBuffer(sample);
  const isText = isTextual(sample, content.size > SAMPLE) && (sniffed === undefined || sniffed.ext === 'xml');
  if (kind === 'file' || extension === '.svg' || !isText)
    return { kind: 'file', content, filename: filenameOf(name, isText ? 'txt' : sniffed?.ext) };
  if (contentType !== undefined) return page();
  if (extension === '.json' || (extension === '' && (await isJsonObject(content))))
    return { kind: 'json', content };
  return page();
}

/** UTF-8 without NUL; a sample may end within a character. */
function isTextual(sample: Uint8Array, isCut: boolean): boolean {
  if (sample.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(sample, { stream: isCut });
    return true;
  } catch {
    return false;
  }
}

/** An object or a list: any other JSON may be meant as text. */
async function isJsonObject(content: Blob): Promise<boolean> {
  const text = await content.text();
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The filename, with the extension of its content when it has none. */
function filenameOf(name = 'file', extension: string | undefined): string {
  return extname(name) !== '' || extension === undefined ? name : `${name}.${extension}`;
}

export const IGNORE_FILE = '.perchignore';

/** Left out of every site, whatever an ignore file says: what the service leaves out itself, and what nobody means to publish. */
const ALWAYS = ignore().add(['.*', '__MACOSX/', 'node_modules/']);

/** One ignore file, and the folder that its patterns are relative to (with a slash at its end, or empty). */
interface Rules {
  base: string;
  patterns: Ignore;
}

/** Paths of a folder's files for a site, without those that `.perchignore` files name; links are not followed. */
async function pathsOfSite(root: string): Promise<{ paths: string[]; links: string[] }> {
  const paths: string[] = [];
  const links: string[] = [];
  const walk = async (folder: string, outer: Rules[]): Promise<void> => {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch((error: unknown) => {
      throw unreadable(join(root, folder), error);
    });
    const rules = [...outer, ...(await rulesIn(root, folder))];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder + entry.name;
      const named = entry.isDirectory() ? `${path}/` : path;
      if (ALWAYS.ignores(named) || isIgnored(named, rules)) continue;
      if (entry.isDirectory()) await walk(`${path}/`, rules);
      else if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isFile()) paths.push(path);
    }
  };
  await walk('', []);
  return { paths, links };
}

/** Files that are read when they are sent. */
const openFiles = (root: string, paths: string[]): Promise<SiteFile[]> =>
  Promise.all(paths.map(async (path) => ({ path, content: await openFile(join(root, path)) })));

async function rulesIn(root: string, folder: string): Promise<Rules[]> {
  const file = join(root, folder, IGNORE_FILE);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw new CommandError(
      `${file} cannot be read, and may name what must not be published: ${String(error)}`,
    );
  });
  // As in UTF-16, which some shells write.
  if (text?.includes('\0')) throw new CommandError(`${file} is not in UTF-8. Convert it first.`);
  return text === null ? [] : [{ base: folder, patterns: ignore().add(text) }];
}

/** The innermost file that says something about a path decides. */
function isIgnored(path: string, rules: Rules[]): boolean {
  let isLeftOut = false;
  for (const { base, patterns } of rules) {
    const { ignored, unignored } = patterns.test(path.slice(base.length));
    if (ignored) isLeftOut = true;
    if (unignored) isLeftOut = false;
  }
  return isLeftOut;
}
