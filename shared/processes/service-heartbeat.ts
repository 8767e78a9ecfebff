import type { ServiceDependencies } from '../wiring/dependencies.ts';
import { type Heartbeat, startHeartbeat } from './heartbeat.ts';
import { removeProcess, saveProcess } from './process-rows.ts';

/** The heartbeat of a process with a database. */
export function startServiceHeartbeat(
  { sql, clock, log }: Pick<ServiceDependencies, 'sql' | 'clock' | 'log'>,
  service: string,
): Heartbeat {
  return startHeartbeat({
    ...{ service, clock, log },
    send: (report) => saveProcess(sql, report, clock.now()),
    leave: ({ processId }) => removeProcess(sql, processId),
  });
}
