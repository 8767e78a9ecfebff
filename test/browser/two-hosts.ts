import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_SERVERS } from '../../infra/environment.ts';
import { freePort } from '../../infra/servers/port.ts';
import { startService } from '../../infra/service-process.ts';
import { createMigratedDatabase, databaseServer } from '../migrated-database.ts';
import { oncePerRun } from '../started.ts';

/** An embedded Perch under two names, which are two hosts to a browser. */
export interface TwoHosts {
  /** BASE_URL */
  service: string;
  /** CONTENT_BASE_URL */
  content: string;
}

const NO_LIMITS = { LIMIT_UPLOADS_PER_HOUR: '0', LIMIT_READS_PER_MINUTE: '0', LIMIT_CHANGES_PER_HOUR: '0' };

async function startTwoHosts(): Promise<TwoHosts & { stop(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-two-hosts-'));
  const port = await freePort();
  const service = `http://127.0.0.1:${port}`;
  const content = `http://localhost:${port}`;
  const database = await createMigratedDatabase(await databaseServer());
  const addresses = { DATA_DIR: join(dir, 'data'), BASE_URL: service, CONTENT_BASE_URL: content };
  const env = { ...NO_SERVERS, ...NO_LIMITS, ...addresses, PG_URL: database.url };
  const perch = await startService('embedded', { dir, port, env });
  return {
    service,
    content,
    async stop() {
      await perch.stop();
      await database.drop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The one of all test files. */
export const sharedTwoHosts: () => Promise<TwoHosts> = oncePerRun(startTwoHosts);
