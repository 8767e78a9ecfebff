import { realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { $ } from 'bun';
import postgres from 'postgres';
import { commandPath, ensureCommands } from '../../../infra/servers/debian.ts';
import { startPostgres } from '../../../infra/servers/postgres.ts';
import { postgresFolder, postgresUser } from '../../../infra/servers/postgres-folder.ts';
import { asUser, type Server } from '../../../infra/servers/server.ts';

/** Gives a PostgreSQL a certificate that nobody knows, and lets it speak TLS to who asks for that. */
export async function enableTls({ logFile, url }: Server & { url: string }): Promise<void> {
  await ensureCommands(['openssl', 'setpriv']);
  const data = join(dirname(logFile), 'data');
  const [key, certificate] = [join(data, 'server.key'), join(data, 'server.crt')];
  const self = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-subj',
    '/CN=perch.test',
  ];
  const user = postgresUser === undefined ? [] : asUser(postgresUser);
  await $`setpriv ${user} -- ${commandPath('openssl')} req ${self} -keyout ${key} -out ${certificate}`.quiet();
  await $`chmod 600 ${key}`.quiet();
  await setTls(url, 'on');
}

/** Switches TLS on or off for connections that are made from now on. */
export async function setTls(url: string, state: 'on' | 'off'): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`alter system set ssl = ${state}`);
  await admin`select pg_reload_conf()`;
  for (let isSet = false; !isSet; ) {
    const [row] = await admin`show ssl`;
    isSet = row?.ssl === state;
    if (!isSet) await Bun.sleep(20);
  }
  await admin.end();
}

/** A standby of the server at `primary`, which follows it from a copy of its own on. */
export async function startStandby(primary: string, { dir }: { dir: string }) {
  const data = join(await postgresFolder(resolve(dir)), 'data');
  const tool = join(dirname(realpathSync(commandPath('postgres'))), 'pg_basebackup');
  const flags = ['--write-recovery-conf', '--wal-method=stream', '--checkpoint=fast', '--no-sync'];
  await $`setpriv ${asUser(postgresUser)} -- ${tool} -D ${data} -d ${primary} ${flags}`.quiet();
  return await startPostgres({ dir });
}
