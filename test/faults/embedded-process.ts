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
  if (server === undefined) throw new Error('the database server does not run');
  process.kill(server.pid, 'SIGKILL');
  await killPerchAlone(perch);
}
