import { NO_SERVERS } from '../environment.ts';
import { createService, type ServiceProcess } from '../service-process.ts';

/** The embedded mode as `npm start` starts it, without npm; not started yet. Its start resolves when it is ready. */
export const embeddedAt = (
  dataDir: string,
  logDir: string,
  settings: Record<string, string> = {},
): Promise<ServiceProcess> =>
  createService('embedded', {
    ...{ dir: logDir, readyPath: '/readyz' },
    env: { ...NO_SERVERS, DATA_DIR: dataDir, LIMIT_UPLOADS_PER_HOUR: '1000', ...settings },
  });

/** The process id of a running embedded Perch. */
export function pidOf(embedded: ServiceProcess): number {
  const [pid] = embedded.processes();
  if (pid === undefined) throw new Error('the embedded mode does not run');
  return pid;
}
