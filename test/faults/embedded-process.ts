import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { findPostmaster } from '../../shared/adapters/database/embedded/process.ts';
import type { Instance } from '../instance.ts';

export function embeddedOf({ services: { embedded } }: Instance): ServiceProcess {
  if (embedded === null) throw new Error('there is no embedded process');
  return embedded;
}

export const databaseServerOf = ({ dir }: Instance) => findPostmaster(join(dir, 'postgres', 'cluster'));

/** As the kernel does when memory runs out: Perch alone, not its database server. */
export async function killPerchAlone(perch: Instance): Promise<void> {
  const embedded = embeddedOf(perch);
  const [pid] = embedded.processes();
  if (pid === undefined) throw new Error('Perch does not run');
  process.kill(pid, 'SIGKILL');
  while (embedded.processes().length > 0) await Bun.sleep(5);
}

/** As when the power fails: its database server dies, too. */
export async function killAll(perch: Instance): Promise<void> {
  const server = await databaseServerOf(perch);
  if (server === null) throw new Error('the database server does not run');
  process.kill(server.pid, 'SIGKILL');
  await killPerchAlone(perch);
}

/** Part of a line about a failure that a process logs of its own: the cause of a 500, which no client is told. */
const FAILURE = '"msg":"operation failed"';

/** A full disk is told to clients, and would hide other failures here by its number. */
const TOLD = '"code":"STORAGE_FULL"';

/** The lines about failures in the logs of a Perch, the last ones: to be shown with an expectation that fails. */
export async function loggedFailures({ logFiles }: Instance): Promise<string> {
  const logs = await Promise.all(logFiles.map((file) => readFile(file, 'utf8')));
  const lines = logs.flatMap((log) =>
    log.split('\n').filter((line) => line.includes(FAILURE) && !line.includes(TOLD)),
  );
  return lines.slice(-20).join('\n');
}
