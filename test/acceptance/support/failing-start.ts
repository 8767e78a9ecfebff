import { resolve } from 'node:path';
import { ownEnvironment } from '../../../infra/environment.ts';
import { freePort } from '../../../infra/servers/port.ts';
import type { ServiceName } from '../../../infra/service-process.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Longest time a start may take to give up. */
const LIMIT_MS = 100_000;

/** Starts a process that should not come up, with these settings and no others. Says how it ended. */
export async function startToFail(
  service: ServiceName,
  settings: Record<string, string>,
): Promise<{ exitCode: number; output: string }> {
  const { PATH, HOME } = ownEnvironment();
  const child = Bun.spawn([process.execPath, resolve(ROOT, 'services', service, 'main.ts')], {
    cwd: ROOT,
    env: { PATH, HOME, HOST: '127.0.0.1', PORT: String(await freePort()), ...settings },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const [output, errors, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  if (child.signalCode !== null) throw new Error(`${service} did not give up: ${output}${errors}`);
  return { exitCode, output: output + errors };
}
