import { expect, setDefaultTimeout, test } from 'bun:test';
import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NO_SERVERS } from '../../infra/environment.ts';
import { startService } from '../../infra/service-process.ts';
import { lendDatabase } from '../made-database.ts';
import { temporaryFolder } from '../servers.ts';

setDefaultTimeout(300_000);

const AGENT = { 'User-Agent': 'PerchFaults/1.0' };

/** Paths in a folder that other users of the machine may access, except those that the database manages itself. */
async function openPaths(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(dir, 'postgres/cluster/'))) continue;
    const { mode } = await stat(path);
    const allowed = path === join(dir, 'postgres') ? 0o010 : 0;
    if ((mode & 0o077 & ~allowed) !== 0)
      found.push(`${path.slice(dir.length)} ${(mode & 0o777).toString(8)}`);
  }
  return found;
}

test('what an embedded Perch keeps is for nobody else, also in a folder that was open before', async () => {
  const dir = await temporaryFolder();
  const dataDir = join(dir, 'data');
  await lendDatabase(dataDir);
  const start = () =>
    startService('embedded', { dir, env: { ...NO_SERVERS, DATA_DIR: dataDir, TTL_DAY_SECONDS: '86400' } });
  let perch = await start();
  try {
    await perch.stop();
    // As an earlier release left it.
    await chmod(dataDir, 0o755);
    await chmod(join(dataDir, 'postgres'), 0o755);
    perch = await start();
    const created = await fetch(`${perch.url}/api/html?ns=closed&id=page`, {
      method: 'POST',
      headers: { ...AGENT, 'Content-Type': 'text/html' },
      body: '<p>kept',
    });
    expect(created.status).toBe(201);
    expect(await openPaths(dataDir)).toEqual([]);
    await perch.stop();
    perch = await start();
    const read = await fetch(`${perch.url}/closed/page`, { headers: AGENT });
    expect([read.status, await read.text()]).toEqual([200, '<p>kept']);
    await perch.stop();
    expect(await openPaths(dataDir)).toEqual([]);
    const isRoot = process.getuid?.() === 0;
    expect(((await stat(dataDir)).mode & 0o777).toString(8)).toBe(isRoot ? '710' : '700');
    expect(await readdir(join(dataDir, 'postgres'))).toContain('cluster');
  } finally {
    await perch.stop();
    await rm(dir, { recursive: true, force: true });
  }
});
