import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { $ } from 'bun';
import { commandPath } from '../../../infra/servers/debian.ts';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { postgresFolder, postgresUser } from '../../../infra/servers/postgres-folder.ts';
import { asUser } from '../../../infra/servers/server.ts';

/** A standby of the server at `primary`, which follows it from a copy of its own on. */
export async function startStandby(primary: string, { dir }: { dir: string }) {
  const data = join(await postgresFolder(resolve(dir)), 'data');
  const tool = join(dirname(realpathSync(commandPath('postgres'))), 'pg_basebackup');
  const flags = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
  await $`setpriv ${asUser(postgresUser)} -- ${tool} -D ${data} -d ${primary} ${flags}`.quiet();
  return await startPostgres({ dir });
}
