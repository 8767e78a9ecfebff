import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { recordDone } from '../../shared/audit/audit-trail.ts';
import { useDatabase } from '../use-database.ts';

const database = useDatabase();

const ACTOR = { clientIp: '192.0.2.1', via: 'api', note: null } as const;

const CHANGES = [
  `update audit_trail set outcome = 'x'`,
  `update audit_trail set outcome = 'x' where false`,
  'delete from audit_trail',
  'truncate audit_trail',
  `insert into audit_trail (created_at, request_id, action, target, client_ip, via, outcome)
    values (now(), 'r', 'sign-in', '', '::1', 'api', 'done')
    on conflict (request_id, action, target, outcome) do update set note = 'changed'`,
];

test('an entry is added once for each request, and nothing changes it, not even a superuser', async () => {
  for (let n = 0; n < 2; n++)
    await recordDone(database.sql, { requestId: 'r' }, 'sign-in', '', ACTOR, Date.now());
  const superuser = postgres(database.url, { max: 1 });
  try {
    for (const change of CHANGES)
      await expect(superuser.unsafe(change).execute()).rejects.toMatchObject({ code: '42501' });
    const rows = await superuser`select action, outcome from audit_trail`;
    expect([...rows]).toEqual([{ action: 'sign-in', outcome: 'done' }]);
  } finally {
    await superuser.end();
  }
});

test('a role that owns the table has no right to change it', async () => {
  const { sql } = database;
  const role = `perch_owner_${randomBytes(6).toString('hex')}`;
  await sql.unsafe(`create role ${role} login password 'owner'`);
  await sql.unsafe(`grant usage on schema public to ${role}`);
  await sql.unsafe(`alter table audit_trail owner to ${role}`);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'owner';
  const own = postgres(url.href, { max: 1 });
  try {
    const rights = await own`
      select privilege, has_table_privilege('audit_trail', privilege) as held
      from unnest(array['select', 'insert', 'update', 'delete', 'truncate']) as privilege`;
    expect(Object.fromEntries(rights.map(({ privilege, held }) => [privilege, held]))).toEqual({
      select: true,
      insert: true,
      update: false,
      delete: false,
      truncate: false,
    });
    for (const change of CHANGES)
      await expect(own.unsafe(change).execute()).rejects.toMatchObject({
        message: expect.stringContaining('permission denied'),
      });
    expect(await own`select from audit_trail`).toHaveLength(1);
  } finally {
    await own.end();
    await sql.unsafe(
      `alter table audit_trail owner to current_user; drop owned by ${role}; drop role ${role}`,
    );
  }
});
