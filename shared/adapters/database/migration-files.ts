import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Migration {
  version: number;
  file: string;
  /** Whether it and the row that records it are one transaction. */
  transactional: boolean;
}

const NAME = /^\d{3,}\.do\.[a-z0-9-]+\.sql$/;

/** The first line of a migration whose statements PostgreSQL takes only outside of transactions. */
export const OUTSIDE_MARK = '-- not in a transaction';

/**
 * The migrations of a folder by version.
 * @throws Error that names a file which cannot be meant
 */
export async function listMigrations(directory: string): Promise<Map<number, Migration>> {
  const found = new Map<number, Migration>();
  for (const file of (await readdir(directory)).filter((entry) => entry.endsWith('.sql')).sort()) {
    const version = Number.parseInt(file, 10);
    if (!NAME.test(file))
      throw new Error(`Migration ${file} must be named NNN.do.name.sql (forward only, lower case).`);
    const other = found.get(version);
    if (other !== undefined) throw new Error(`Migrations ${other.file} and ${file} have the same number.`);
    const transactional = !(await readFile(join(directory, file), 'utf8')).startsWith(OUTSIDE_MARK);
    found.set(version, { version, file, transactional });
  }
  if (found.size === 0) throw new Error(`There are no migrations in ${directory}.`);
  return found;
}

/** Statements of a migration outside of a transaction, to be sent one by one: each ends a line with a semicolon. */
export const statementsOf = (text: string): string[] =>
  text
    .split(/;[ \t]*\r?(?:\n|$)/)
    .map((statement) => statement.replace(/^\s*(?:--[^\n]*(?:\n|$)\s*)*/, '').trim())
    .filter((statement) => statement !== '');

/**
 * The schema whose processes already do without what a migration of this name takes away (`contract-since-MMM-…`);
 * `null` when it takes nothing away. `name` is what stands between `.do.` and `.sql`.
 */
export function contractSince(name: string): number | null {
  const found = /^contract-since-(\d{3,})-/.exec(name)?.[1];
  return found === undefined ? null : Number(found);
}
