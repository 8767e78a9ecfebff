import { afterAll, beforeAll, expect, test } from 'bun:test';
import postgres from 'postgres';
import { type Servers, startServers } from '../../infra/servers/all.ts';
import { migrate } from '../../shared/adapters/database/migrate.ts';
import { createLogger } from '../../shared/logger.ts';
import { MIGRATIONS } from '../../shared/wiring/migrations.ts';
import { createDatabase, type OwnDatabase } from '../migrated-database.ts';
import { START_LIMIT_MS } from '../servers.ts';
import { makeDatabaseRole, makeSecrets } from './secrets-folder.ts';

/** An installation whose services were the superuser, on a database of its own. */
const { log } = createLogger('test', 'silent');
let servers: Servers;
let secrets: Awaited<ReturnType<typeof makeSecrets>>;
let admin: postgres.Sql;
let database: OwnDatabase;
let oldUrl = '';

beforeAll(async () => {
  [servers, secrets] = await Promise.all([
    startServers({ use: { REDIS_URL: 'redis://none', NATS_URL: 'nats://none', ...NO_S3 } }),
    makeSecrets(),
  ]);
  database = await createDatabase(servers.env.PG_URL ?? '');
  oldUrl = database.url;
  admin = postgres(oldUrl, { max: 1 });
  await migrate(oldUrl, { directory: MIGRATIONS, log, upTo: 6 });
}, START_LIMIT_MS);

afterAll(async () => {
  await admin?.end();
  await database?.drop();
  await Promise.all([servers?.stop(), secrets?.remove()]);
});

const NO_S3 = { S3_ENDPOINT: 'http://none', S3_ACCESS_KEY: 'none', S3_SECRET_KEY: 'none' };

/** As the services sign in afterwards. */
async function serviceUrl(): Promise<string> {
  const url = new URL(oldUrl);
  url.username = 'perch_service';
  url.password = await Bun.file(`${secrets.folder}/service-database-password`).text();
  return url.href;
}

test('the role takes over what the superuser has made, goes on migrating, and is no superuser', async () => {
  expect(await makeDatabaseRole('service-role', oldUrl, secrets.folder)).toBe('');
  await migrate(await serviceUrl(), { directory: MIGRATIONS, log });
  const owners = await admin<{ owner: string }[]>`
    select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'public'::regnamespace
    union select pg_get_userbyid(proowner) from pg_proc where pronamespace = 'public'::regnamespace`;
  expect(owners.map(({ owner }) => owner)).toEqual(['perch_service']);
  const [role] = await admin`
    select rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls from pg_roles where rolname = 'perch_service'`;
  expect(Object.values(role ?? {})).toEqual([false, false, false, false, false]);
});

test('it may be run again, also after a superuser has made a table and a view', async () => {
  await admin`create table a_stray (id bigserial primary key)`;
  await admin`create view a_stray_view as select id from a_stray`;
  expect(await makeDatabaseRole('service-role', oldUrl, secrets.folder)).toBe('');
  const sql = postgres(await serviceUrl(), { max: 1 });
  try {
    expect(await sql`insert into a_stray default values returning id`).toHaveLength(1);
    expect(await sql`select id from a_stray_view`).toHaveLength(1);
    await sql`drop view a_stray_view`;
    await sql`drop table a_stray`;
  } finally {
    await sql.end();
  }
});

test.each([
  'create role another superuser',
  'create database another',
  'alter system set work_mem = 1',
  "copy items to '/tmp/items'",
  "copy items to program 'cat'",
  "select pg_read_file('/etc/passwd')",
  'set role postgres',
  'create schema another',
])('what is the superuser’s is refused to it: %s', async (statement) => {
  const sql = postgres(await serviceUrl(), { max: 1 });
  try {
    expect(sql.unsafe(statement).catch(({ code }) => code)).resolves.toBe('42501');
  } finally {
    await sql.end();
  }
});
