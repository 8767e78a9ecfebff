import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { createMigratedDatabase, databaseServer, type OwnDatabase } from '../migrated-database.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { readComposeFile, serviceOf } from './compose-file.ts';
import { makeDatabaseRole } from './secrets-folder.ts';

/** The one-shot service that makes Grafana's role, on a database that the services have migrated. */
const service = serviceOf(readComposeFile(), 'grafana-role');
let dir = '';
let database: OwnDatabase;

beforeAll(async () => {
  database = await createMigratedDatabase(await databaseServer());
  dir = await mkdtemp(join(tmpdir(), 'perch-grafana-role-'));
  await writeFile(join(dir, 'postgres-password'), 'unused');
}, START_LIMIT_MS);

afterAll(async () => {
  await database.drop();
  await rm(dir, { recursive: true });
});

async function makeRole(password: string, url = database.url): Promise<string> {
  await writeFile(join(dir, 'grafana-database-password'), password);
  return await makeDatabaseRole('grafana-role', url, dir);
}

test('it is passed what the script reads', () => {
  expect(Object.keys(service.environment ?? {}).sort()).toEqual([
    ...['PGDATABASE', 'PGHOST', 'PGPASSWORD_FILE', 'PGUSER', 'ROLE_PASSWORD_FILE'],
  ]);
});

test('the role is there with its password, also the second time, and reads only', async () => {
  const sql = postgres(database.url, { max: 1 });
  const secretOf = async (): Promise<string> => {
    const [row] = await sql<
      { secret: string }[]
    >`select rolpassword as secret from pg_authid where rolname = 'perch_grafana'`;
    return row?.secret ?? '';
  };
  try {
    expect(await makeRole('first-password')).toBe('');
    const first = await secretOf();
    expect(first).toStartWith('SCRAM-SHA-256$');
    expect(await makeRole('second-password')).toBe('');
    expect(await secretOf()).not.toBe(first);
    const [may] = await sql<{ reads: boolean; writes: boolean }[]>`
      select has_table_privilege('perch_grafana', 'item_totals', 'select') as reads,
        has_table_privilege('perch_grafana', 'item_totals', 'insert') as writes`;
    expect(may).toEqual({ reads: true, writes: false });
  } finally {
    await sql.end();
  }
});

test('without a database it fails, to be tried again', async () => {
  expect(makeRole('x', 'postgres://postgres@127.0.0.1:9/postgres')).rejects.toThrow('ended with');
});
