import { describe, expect, test } from 'bun:test';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS } from '../../../shared/wiring/migrations.ts';
import { checkMigration } from './migration-rules.ts';

test('every migration from 010 on can be applied while the release before goes on', async () => {
  const files = (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(8);
  for (const file of files) {
    const faults = checkMigration(file, await readFile(join(MIGRATIONS, file), 'utf8'));
    expect({ file, faults }).toEqual({ file, faults: [] });
  }
});

test('the older ones are let be', () => {
  expect(checkMigration('009.do.old.sql', 'drop table items')).toEqual([]);
  expect(checkMigration('010.do.new.sql', 'drop table items')).toHaveLength(1);
});

const MARK = '-- not in a transaction';
const allowed: Record<string, [text: string, name?: string]> = {
  'a column that may be null': ['alter table items add column note text;'],
  'a column with a constant default': [
    "alter table items add column note text not null default 'drop table';",
  ],
  'a table, its indexes and constraints': [
    `create table notes (id text primary key, at timestamptz not null default clock_timestamp());
     create unique index notes_at on notes (at); create index on notes (id, at);
     alter table notes add constraint notes_id check (id <> ''); alter table notes alter column at set not null;`,
  ],
  'a column that may become empty': ['alter table items alter column note drop not null'],
  'a constraint for new rows': ['alter table items add constraint some check (version > 0) not valid'],
  'a wider check': [
    'alter table items drop constraint items_ttl_days_check; alter table items add constraint items_ttl_days_check check (ttl_days > 0) not valid',
  ],
  'a table that is made here, with an index whose name ends in "on"': [
    'create table blocks (revision bigint not null); create index blocks_revision on blocks (revision)',
  ],
  'a foreign key for new rows': [
    'alter table reports add constraint f foreign key (id) references items (id) not valid',
  ],
  'words in comments, texts and functions': [
    `-- drop table items;
     /* rename; truncate */
     create function f() returns void language plpgsql as $f$ begin delete from items; end $f$;
     insert into watermarks (name, reached) values ('update; delete', now());`,
  ],
  'an index made beside the traffic': [
    `${MARK}\ndrop index concurrently if exists items_note;\ncreate index concurrently items_note on items (note);\n`,
  ],
  'validating a constraint later': [`${MARK}\nalter table items validate constraint some;`],
  'a contract that takes away': [
    'alter table items drop column note; drop table notes;',
    '012.do.contract-since-011-notes.sql',
  ],
};

test.each(Object.entries(allowed))('allows %s', (_, [text, name = '012.do.some.sql']) => {
  expect(checkMigration(name, text)).toEqual([]);
});

const refused: Record<string, [text: string, fault: RegExp, name?: string]> = {
  'a dropped table': ['DROP TABLE items', /may still use.*contract-since/],
  'a dropped column': ['alter table items\n  drop column note', /may still use/],
  'a renamed column': ['alter table items rename column note to notes', /old name/],
  'a renamed table': ['alter table "items" rename to things', /old name/],
  'another type': ['alter table items alter column note type bigint', /rewrites/],
  'a dropped column, in short': ['alter table items drop note', /may still use/],
  'what stands between two quotes in comments': ["-- it's\ndrop table items;\n-- that's", /may still use/],
  'a dropped function': ['drop function f()', /may still use/],
  'an index in a transaction': ['create index items_note on items (note)', /concurrently/],
  'a unique index without a name': ['create unique index on items (note)', /concurrently/],
  'an index dropped under a lock': ['drop index items_note', /concurrently/],
  'concurrently without the mark': ['create index concurrently items_note on items (note)', /first line/],
  'a column that old writers leave empty': ['alter table items add column note text not null', /default/],
  'a default that rewrites': ['alter table items add column n uuid default gen_random_uuid()', /rewrites/],
  'a generated column': ['alter table items add column n text generated always as (id) stored', /rewrites/],
  'a serial column': ['alter table items add column n bigserial', /rewrites/],
  'a constraint that reads all': ['alter table items add constraint some check (version > 0)', /not valid/],
  'a unique constraint': ['alter table items add unique (note)', /concurrently/],
  'a new column that is unique': ['alter table items add column note text unique', /concurrently/],
  'a new column with a check': ["alter table items add note text check (note <> '')", /not valid/],
  'a new column that refers': ['alter table items add column other text references notes', /not valid/],
  'set not null': ['alter table items alter note set not null', /reads the whole table/],
  'a backfill': ["update items set note = ''", /batches/],
  'a deletion': ['delete from items', /batches/],
  'a deletion in parts of a query': ['with old as (delete from items returning id) select 1', /batches/],
  'a lock': ['lock table items', /locks everybody out/],
  'a truncation': ['truncate items', /locks everybody out/],
  'its own limits': ["set local lock_timeout = '1h'", /limits the waits/],
  'its own transaction': ['commit', /holds the transaction/],
  'a do block': ['do $$ begin drop table items; end $$', /cannot be checked/],
  'more than indexes outside': [`${MARK}\nalter table items add column note text;`, /stand only/],
  'an index that cannot be made again': [
    `${MARK}\ncreate index concurrently items_note on items (note);`,
    /has to stand before/,
  ],
  'a contract with itself': ['drop table notes', /earlier migration/, '012.do.contract-since-012-notes.sql'],
  'a contract that locks': ['truncate notes', /locks everybody/, '012.do.contract-since-011-notes.sql'],
};

describe('refuses', () => {
  test.each(Object.entries(refused))('%s', (_, [text, fault, name = '012.do.some.sql']) => {
    const faults = checkMigration(name, text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(fault);
  });
});

test('every fault is told', () => {
  expect(checkMigration('012.do.some.sql', 'drop table a; select 1; truncate b;')).toHaveLength(2);
});
