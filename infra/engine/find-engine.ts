import { readFile } from 'node:fs/promises';
import { ownEnvironment } from '../environment.ts';
import { type Engine, runToEnd } from './engine.ts';
import { startOwnEngine, whyNoOwnEngine } from './own-engine.ts';

/**
 * The Docker engine of this machine, or one of its own in namespaces, which ends with this process. `folders` are what
 * containers mount, `ports` those they publish.
 *
 * @throws Error that says why there is none
 */
export async function findEngine(use: { folders: string[]; ports: number[] }): Promise<Engine> {
  const reason = await whyNoEngine();
  if (reason !== null) throw new Error(reason);
  return (await whyNotGiven()) === null ? givenEngine() : await startOwnEngine(use);
}

/** Why there can be no engine here, with what would help; `null`: there can. */
export async function whyNoEngine(): Promise<string | null> {
  const given = await whyNotGiven();
  if (given === null) return null;
  const own = whyNoOwnEngine();
  return own === null ? null : `${given}, and none of its own can be started: ${own}`;
}

async function whyNotGiven(): Promise<string | null> {
  if (Bun.which('docker') === null) return 'there is no docker here';
  const { DOCKER_HOST = '' } = ownEnvironment();
  if (DOCKER_HOST !== '' && !DOCKER_HOST.startsWith('unix://')) return 'DOCKER_HOST is another machine';
  try {
    await runToEnd(['docker', 'info'], 20_000);
  } catch {
    return 'no Docker engine answers (docker info)';
  }
  try {
    await runToEnd(['docker', 'compose', 'version'], 20_000);
  } catch {
    return 'docker has no compose here';
  }
  return null;
}

const givenEngine = (): Engine => ({
  name: 'the Docker engine of this machine',
  docker: (args, limitMs) => runToEnd(['docker', ...args], limitMs),
  readProcessFile: (pid, file) => readFile(`/proc/${pid}/${file}`, 'utf8'),
  cutPower: null,
  stop: () => Promise.resolve(),
});
