import { openAsBlob } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import type { SiteFile } from 'perch-client';

export const IGNORE_FILE = '.perchignore';

/** Left out of every site: what the service leaves out itself, and what nobody means to publish. */
const ALWAYS = ['.*', '__MACOSX/', 'node_modules/'];

/** One ignore file, and the folder that its patterns are relative to (with a slash at its end, or empty). */
interface Rules {
  base: string;
  patterns: Ignore;
}

/** Paths of a folder's files for a site, without those that `.perchignore` files name; links are not followed. */
export async function pathsOfSite(root: string): Promise<{ paths: string[]; links: string[] }> {
  const paths: string[] = [];
  const links: string[] = [];
  const walk = async (folder: string, outer: Rules[]): Promise<void> => {
    const rules = [...outer, ...(await rulesIn(root, folder))];
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = folder + entry.name;
      if (isIgnored(entry.isDirectory() ? `${path}/` : path, rules)) continue;
      if (entry.isDirectory()) await walk(`${path}/`, rules);
      else if (entry.isSymbolicLink()) links.push(path);
      else if (entry.isFile()) paths.push(path);
    }
  };
  await walk('', [{ base: '', patterns: ignore().add(ALWAYS) }]);
  return { paths, links };
}

/** Files that are read when they are sent. */
export const openFiles = (root: string, paths: string[]): Promise<SiteFile[]> =>
  Promise.all(paths.map(async (path) => ({ path, content: await openAsBlob(join(root, path)) })));

async function rulesIn(root: string, folder: string): Promise<Rules[]> {
  const text = await readFile(join(root, folder, IGNORE_FILE), 'utf8').catch(() => null);
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
