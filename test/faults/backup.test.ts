import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Manifest, readManifest } from '../../infra/backup/manifest.ts';
import { ownEnvironment } from '../../infra/environment.ts';
import { type Servers, startServers } from '../../infra/servers/all.ts';
import { type Client, createClient } from '../acceptance/support/client.ts';
import { domainSettings } from '../acceptance/support/domains.ts';
import { ITEMS_DOMAIN } from '../acceptance/support/item-hosts.ts';
import { type NameServer, startNameServer } from '../acceptance/support/name-server.ts';
import { mustRun, runTool, startTool } from '../backup-tools.ts';
import type { Instance } from '../instance.ts';
import { distributedStores, embeddedStores, type Stores, startPerch } from '../running-perch.ts';
import { START_LIMIT_MS, temporaryFolder } from '../servers.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { type Filled, fill, findFaults, type Load, startLoad } from './backup-content.ts';
import { fillHosts, findHostFaults, type Hosts, readClaims } from './backup-hosts.ts';
import { auditBlobs } from './blob-audit.ts';

setDefaultTimeout(300_000);
const SECRET = randomBytes(32).toString('hex');
let folder = '';
let servers: Servers;
let names: NameServer;
const stores: Stores[] = [];

beforeAll(async () => {
  folder = await temporaryFolder();
  servers = await startServers({ use: ownEnvironment() });
  names = await startNameServer();
}, START_LIMIT_MS);

afterAll(async () => {
  await Promise.all(stores.map(({ drop }) => drop()));
  await servers.stop();
  names.stop();
  await rm(folder, { recursive: true, force: true });
});

async function emptyStores(mode: Stores['mode'], secret = SECRET): Promise<Stores> {
  const env = domainSettings(names, {
    COOKIE_SECRET: secret,
    BLOB_GRACE_SECONDS: '12',
    ADMIN_PASSWORD,
    CONTENT_BASE_URL: `http://*.${ITEMS_DOMAIN}`,
  });
  const made = await (mode === 'embedded'
    ? embeddedStores(folder, env)
    : distributedStores(folder, servers.env, env));
  stores.push(made);
  return made;
}

interface Original {
  to: string;
  filled: Filled;
  hosts: Hosts;
  load: Load;
}

/** Its items are served at their paths, unless they ask for hosts of their own. */
const clientOf = (perch: { url: string }): Client =>
  createClient(() => perch.url, { usual: { 'X-Delivery-Mode': 'path' } });

/** Fills an instance and backs it up while others write, replace and remove. */
async function makeBackup(source: Stores): Promise<Original> {
  const perch = await startPerch(source);
  try {
    const client = clientOf(perch);
    const filled = await fill(client, source);
    const hosts = await fillHosts(client, names, source.mode);
    const to = join(folder, `backup-${source.mode}`);
    const load = startLoad(client);
    await load.underWay;
    expect(await startTool('backup', source.env, '--to', to).done).toMatchObject({ code: 0 });
    // Once more into the same folder: now much is there already, and much is gone.
    await mustRun('backup', source.env, '--to', to);
    await load.end();
    return { to, filled, hosts, load };
  } finally {
    await perch.stop();
  }
}

/** Brings a backup into an empty instance, and compares every row and blob. */
async function restoreSame({ to }: Original, target: Stores): Promise<void> {
  await mustRun('restore', target.env, '--from', to);
  const again = `${target.dir}-again`;
  await mustRun('backup', target.env, '--to', again);
  const sameSecret = target.env.COOKIE_SECRET === SECRET;
  expect(await contentsOf(again, sameSecret)).toEqual(await contentsOf(to, sameSecret));
}

/** Restores, and expects Perch to find everything as it was. */
async function expectRestored(original: Original, target: Stores): Promise<void> {
  const { to, filled, hosts, load } = original;
  await restoreSame(original, target);
  const sameSecret = target.env.COOKIE_SECRET === SECRET;
  const perch = await startPerch(target);
  try {
    const client = clientOf(perch);
    expect(await findFaults(client, filled, { sameSecret })).toEqual([]);
    expect(await load.findFaults(client)).toEqual([]);
    expect(await findHostFaults(client, names, hosts)).toEqual([]);
    const dir = target.mode === 'embedded' ? join(target.dir, 'data') : target.dir;
    const audit = await auditBlobs({ ...target, dir } as unknown as Instance);
    expect(audit).toMatchObject({ orphans: [], missing: [] });
    expect(audit.sound).toBeGreaterThan(10);
  } finally {
    await perch.stop();
  }
  await expectRefused(to, target);
}

/** A restore into a Perch that is in use changes nothing, and so takes no domain from who has it there. */
async function expectRefused(to: string, target: Stores): Promise<void> {
  const before = await readClaims(target);
  const { code, errors } = await runTool('restore', target.env, '--from', to);
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/not empty.*item_domains/) });
  expect(await readClaims(target)).toEqual(before);
}

/** The rows of each table and the hash of each blob. Where PostgreSQL finds room for a row decides in which order they come. */
async function contentsOf(from: string, withIdempotencyKeys: boolean): Promise<unknown> {
  const { tables, blobs, schema }: Manifest = await readManifest(from);
  const kept = tables.filter(({ name }) => withIdempotencyKeys || name !== 'create_receipts');
  const rows = kept.map(async ({ name, file }) => {
    const lines = (await readFile(join(from, file), 'utf8')).split('\n');
    return [name, lines.sort()] as const;
  });
  return {
    schema,
    tables: await Promise.all(rows),
    blobs: await readFile(join(from, blobs.file), 'utf8'),
  };
}

test('what is backed up under load is restored in either mode, byte for byte', async () => {
  const [embedded, distributed] = await Promise.all([
    emptyStores('embedded').then(makeBackup),
    emptyStores('distributed').then(makeBackup),
  ]);
  const otherSecret = randomBytes(32).toString('hex');
  await Promise.all([
    emptyStores('distributed').then((target) => expectRestored(embedded, target)),
    emptyStores('embedded', otherSecret).then((target) => expectRestored(distributed, target)),
  ]);
  // The instances that run on them are checked above. Not beside those: a restore clears all of their Redis.
  await Promise.all([
    emptyStores('embedded').then((target) => restoreSame(embedded, target)),
    emptyStores('distributed').then((target) => restoreSame(distributed, target)),
  ]);
});
