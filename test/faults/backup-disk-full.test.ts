import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, runTool } from '../backup-tools.ts';
import { checkFolder, type StoredPerch, useStoredPerches } from '../contracts/stored-perches.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

setDefaultTimeout(60_000);
const MB = 1_048_576;
const perches = useStoredPerches();
let perch: StoredPerch;
let to = '';
let disk: SmallDisk;

beforeEach(async () => {
  perch = await perches.create();
  await perch.addPage('kept', '<p>kept');
  to = join(perches.folder(), randomBytes(6).toString('hex'));
  disk = await mountSmallDisk(to, 64 * MB);
  await mustRun('backup', perch.env, '--to', to);
});
afterEach(() => disk?.unmount());

/** Adds keys with a value of 1 MB each. */
async function addKeys(count: number): Promise<void> {
  await perch.sql`
    insert into items
      (namespace, id, kind, code, owner_hash, title, ttl_days, size_bytes, content, created_at, updated_at, expires_at)
    values ('kept', 'store', 'kv', 'code-store', 'owner', '', 1, 3, '{}', now(), now(), now() + interval '1 day')`;
  await perch.sql`
    insert into kv_entries (namespace, id, key, value, size_bytes, updated_at)
    select 'kept', 'store', key::text, to_json(repeat('x', ${MB})), ${MB}, now() from generate_series(1, ${count}::int) key`;
}

const causes: Record<string, { fill(): Promise<unknown>; leave: number }> = {
  'a part of a row': { fill: () => addKeys(1), leave: MB / 2 },
  'the first of many rows': { fill: () => addKeys(32), leave: 2 * MB },
  'a part of a blob': { fill: () => perch.addPage('large', 'x'.repeat(4 * MB)), leave: 2 * MB },
};

test.each(Object.entries(causes))(
  'a disk that has room for %s ends a backup with a reason, and the earlier one stays',
  async (_, { fill, leave }) => {
    await fill();
    await disk.fill(leave);
    const { code, errors } = await runTool('backup', perch.env, '--to', to);
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringContaining(`no room left in ${to}`) });
    expect(await checkFolder(to)).toBe('whole');
    expect((await readdir(to)).filter((name) => name.startsWith('data-'))).toHaveLength(1);
    await disk.makeRoom();
    await mustRun('backup', perch.env, '--to', to);
    expect(await checkFolder(to)).toBe('whole');
  },
);
