import { contractSince, OUTSIDE_MARK } from '../../../shared/adapters/database/migration-files.ts';

/** Migrations before 010 were made before these rules. */
const FIRST_CHECKED = 10;

interface Rule {
  forbids: RegExp;
  because: string;
}

/** Each matches a statement in lower case, without comments, with single blanks and `''` for every text. */
const TAKES_AWAY: Rule[] = [
  { forbids: /^drop (?!index )/, because: 'processes of the release before may still use what it drops' },
  {
    // Without a check the release before is allowed more, which it does not use.
    forbids: /^alter table .*\bdrop (?!default\b|not null\b|constraint \w+_check\b)/,
    because: 'the release before may still use it',
  },
  { forbids: /^alter .*\brename\b/, because: 'the release before knows the old name only' },
  {
    forbids: /^alter table .*\balter (?:column )?\S+ (?:set data )?type\b/,
    because: 'it rewrites the table',
  },
];

const READS_ALL = 'it reads the whole table under a lock: `not valid` first, or an index made concurrently';

const NEVER: Rule[] = [
  {
    forbids: /^(?:begin|start transaction|commit|rollback|savepoint)\b/,
    because: 'what applies migrations holds the transaction',
  },
  {
    forbids: /^set (?:local |session )?(?:lock|statement)_timeout\b/,
    because: 'what applies migrations limits the waits',
  },
  { forbids: /^(?:lock|truncate|vacuum|cluster|reindex|refresh)\b/, because: 'it locks everybody out' },
  {
    forbids: /^(?:with\b.*\b)?(?:update|delete from|merge into)\b/,
    because: 'it holds rows until it ends: fill them in batches, by a pass of a service',
  },
  {
    forbids: /^alter table .*\bset not null\b/,
    because:
      'it reads the whole table under a lock: add a check constraint `not valid` and validate it later',
  },
  {
    forbids: /^alter table .*\badd (?:column )?(?:if not exists )?\S+ (?:big|small)?serial\b/,
    because: 'it rewrites the table',
  },
  { forbids: /^alter table .*\bgenerated (?:always|by default)\b/, because: 'it rewrites the table' },
  {
    forbids: /^alter table .*\bdefault [^,]*\b(?:nextval|random|gen_random_uuid|clock_timestamp)\b/,
    because: 'a default that differs from row to row rewrites the table',
  },
  {
    forbids:
      /^alter table .*\badd (?:constraint \S+ )?(?:(?:foreign key|check)\b(?!.*\bnot valid)|(?:unique|primary key)\b(?! using index))/,
    because: READS_ALL,
  },
  {
    forbids:
      /^alter table .*\badd (?:column )?(?:if not exists )?(?!constraint\b|foreign\b|check\b|unique\b|primary\b)\S+ [^,]*\b(?:unique|primary key|check|references)\b/,
    because: READS_ALL,
  },
];

/**
 * Finds statements that break processes of the release before while the migration is applied; empty when there are
 * none. The check reads the text, knows the forms above, and cannot see inside a function or a `do` block, so a `do`
 * block is refused.
 */
export function checkMigration(file: string, text: string): string[] {
  const version = Number.parseInt(file, 10);
  if (version < FIRST_CHECKED) return [];
  const since = contractSince(file.replace(/^\d+\.do\./, ''));
  const faults = since !== null && since >= version ? ['a contract names an earlier migration'] : [];
  const outside = text.startsWith(OUTSIDE_MARK);
  const statements = readStatements(text);
  const made = new Set(statements.map(tableMade).filter((table) => table !== undefined));
  for (const [index, statement] of statements.entries()) {
    const fault = outside
      ? faultOutside(statement, statements[index - 1])
      : faultInside(statement, made, since !== null);
    if (fault !== null) faults.push(`${fault}: ${statement.slice(0, 100)}`);
  }
  return faults;
}

/** The statements, with what their words do not tell blotted out. */
function readStatements(text: string): string[] {
  return text
    .replace(
      // In one pass: a quote in a comment begins no text, and dashes in a text begin no comment.
      /--[^\n]*|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/g,
      (found) => (/^(?:--|\/\*)/.test(found) ? ' ' : "''"),
    )
    .replaceAll('"', '')
    .split(';')
    .map((statement) => statement.trim().replace(/\s+/g, ' ').toLowerCase())
    .filter((statement) => statement !== '');
}

const tableMade = (statement: string): string | undefined =>
  /^create (?:unlogged )?table (?:if not exists )?([\w.]+)/.exec(statement)?.[1];

/** The table that a statement changes or builds an index on. */
const tableTouched = (statement: string): string | undefined =>
  /^alter table (?:if exists )?(?:only )?([\w.]+)/.exec(statement)?.[1] ??
  /^create (?:unique )?index (?:.*? )?on (?:only )?([\w.]+)/.exec(statement)?.[1] ??
  /^(?:update|delete from) (?:only )?([\w.]+)/.exec(statement)?.[1];

function faultInside(statement: string, made: Set<string>, isContract: boolean): string | null {
  const table = tableTouched(statement);
  // Nobody else sees a table that this very migration makes.
  if (table !== undefined && made.has(table)) return null;
  if (/^do\b/.test(statement)) return 'what a do block does cannot be checked';
  if (/\bconcurrently\b/.test(statement)) return `it needs the first line \`${OUTSIDE_MARK}\``;
  if (/^create (?:unique )?index\b/.test(statement))
    return 'an index of a table that is there is made concurrently, in a migration of its own';
  if (/^drop index\b/.test(statement)) return 'an index is dropped concurrently';
  if (/\badd (?:column )?[^,]*\bnot null\b/.test(statement) && !/\bdefault\b/.test(statement))
    return 'the release before fills no such column: give it a default';
  const broken = [...NEVER, ...(isContract ? [] : TAKES_AWAY)].find(({ forbids }) => forbids.test(statement));
  if (broken === undefined) return null;
  return TAKES_AWAY.includes(broken)
    ? `${broken.because}; when no process does any more, name the migration NNN.do.contract-since-MMM-….sql`
    : broken.because;
}

/** A migration outside of a transaction may be cut off between two statements, and then runs again from the first. */
function faultOutside(statement: string, before: string | undefined): string | null {
  if (/^drop index concurrently if exists [\w.]+$/.test(statement)) return null;
  const index = /^create (?:unique )?index concurrently ([\w.]+) on /.exec(statement)?.[1];
  if (index !== undefined && before === `drop index concurrently if exists ${index}`) return null;
  if (index !== undefined) return `\`drop index concurrently if exists ${index}\` has to stand before it`;
  if (/^alter table [\w.]+ validate constraint \w+$/.test(statement)) return null;
  return `under \`${OUTSIDE_MARK}\` stand only indexes made or dropped concurrently, and constraints to be validated`;
}
