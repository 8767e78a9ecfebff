import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ownEnvironment } from '../../infra/environment.ts';
import { freePort } from '../../infra/servers/port.ts';
import { findPostmaster } from '../../shared/adapters/database/embedded/process.ts';
import { startToFail } from '../acceptance/support/failing-start.ts';
import { until } from './waiting.ts';

setDefaultTimeout(150_000);

const MAIN = resolve(import.meta.dirname, '../../services/embedded/main.ts');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'perch-embedded-start-'));
  // Root's database server runs as another user, who must get in; else its database is kept outside this folder.
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const clusterOf = (dataDir: string): string => join(dataDir, 'postgres', 'cluster');

test('a start that fails leaves no database server behind', async () => {
  const taken = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('mine') });
  const dataDir = join(folder, 'port-taken');
  // PORT is tried before there is a database, SHARED_PORT when all else runs.
  const settings = { DATA_DIR: dataDir, SHARED_PORT: String(taken.port) };
  const { exitCode } = await startToFail('embedded', settings);
  await taken.stop(true);
  expect(exitCode).toBe(1);
  expect(existsSync(clusterOf(dataDir))).toBe(true);
  expect(await findPostmaster(clusterOf(dataDir))).toBeNull();
});

test('a signal during the start stops what was started', async () => {
  const dataDir = join(folder, 'stopped-early');
  const { PATH, HOME } = ownEnvironment();
  const child = Bun.spawn([process.execPath, MAIN], {
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: String(await freePort()), DATA_DIR: dataDir },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  });
  await until(
    'the database server runs',
    async () => (await findPostmaster(clusterOf(dataDir))) !== null,
    100_000,
  );
  child.kill('SIGTERM');
  expect(await child.exited).toBe(0);
  expect(await findPostmaster(clusterOf(dataDir))).toBeNull();
});
