import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine, Ran } from '../../infra/engine/engine.ts';
import { findEngine } from '../../infra/engine/find-engine.ts';
import { freePort } from '../../infra/servers/port.ts';
import { PROJECT } from '../deployment/compose-file.ts';
import { makeSecrets } from '../deployment/secrets-folder.ts';

/** The compose project, running on an engine from a copy of this checkout, with secrets, ports and volumes of its own. */
export interface RunningProject {
  engine: Engine;
  /** The proxy's address. */
  url: string;
  /** The project's folder. */
  folder: string;
  /** The name of the project, which its containers' and networks' names begin with. */
  name: string;
  /** Runs `docker compose` on it. */
  compose(...args: string[]): Promise<Ran>;
  stop(): Promise<void>;
}

/** The files from which image and containers are made. */
const PARTS = [
  ...['docker-compose.yml', '.dockerignore', 'package.json', 'package-lock.json', 'bunfig.toml'],
  ...['services', 'shared', 'infra'],
];

const UP_LIMIT_MS = 15 * 60_000;

/** Builds it and brings it up. @throws Error that says why there is no engine, or what did not come up */
export async function startProject(): Promise<RunningProject> {
  const [port, tlsPort, grafanaPort] = [await freePort(), await freePort(), await freePort()];
  const name = `perch-test-${process.pid}`;
  const folder = await mkdtemp(join(tmpdir(), `${name}-`));
  const running = new AsyncDisposableStack();
  running.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    for (const part of PARTS) await cp(join(PROJECT, part), join(folder, part), { recursive: true });
    // As after a clone: whoever may not enter here finds no file all the same.
    await makeSecrets(join(folder, 'secrets'));
    const image = `${name}:local`;
    const settings = {
      HTTP_PORT: port,
      HTTPS_PORT: tlsPort,
      GRAFANA_PORT: grafanaPort,
      PERCH_IMAGE: image,
      LIMIT_UPLOADS_PER_HOUR: 0,
      LIMIT_READS_PER_MINUTE: 0,
      LIMIT_CHANGES_PER_HOUR: 0,
      SITE_MAX_BYTES: 67_108_864,
      SWEEP_INTERVAL_SECONDS: 5,
    };
    const lines = Object.entries(settings).map(([variable, value]) => `${variable}=${value}\n`);
    await writeFile(join(folder, '.env'), lines.join(''));
    const engine = await findEngine({ folders: [folder], ports: [port] });
    running.defer(engine.stop);
    const compose = (...args: string[]): Promise<Ran> =>
      engine.docker(['compose', '--project-name', name, '--project-directory', folder, ...args], UP_LIMIT_MS);
    const removeAll = async (): Promise<void> => {
      await compose('down', '--volumes', '--timeout', '1');
      await engine.docker(['image', 'rm', '--force', image]);
    };
    // An engine of its own takes its containers with it.
    if (engine.cutPower === null) running.defer(removeAll);
    await compose('up', '-d', '--build', '--wait');
    return {
      engine,
      url: `http://localhost:${port}`,
      folder,
      name,
      compose,
      stop: () => running.disposeAsync(),
    };
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

/** The fields of `docker inspect` that the tests look at. */
export interface Container {
  Name: string;
  State: { Pid: number; Status: string; ExitCode: number };
  Config: { Labels: Record<string, string>; Env: string[] | null };
  HostConfig: { ReadonlyRootfs: boolean };
  Mounts: Array<{ Type: string; Name?: string; Destination: string }>;
  NetworkSettings: { Networks: Record<string, { IPAddress: string }> };
}

/** All containers of the project, also those that have ended. */
export async function containersOf({ compose, engine }: RunningProject): Promise<Container[]> {
  const ids = (await compose('ps', '--all', '--quiet')).output.trim().split('\n');
  return JSON.parse((await engine.docker(['inspect', ...ids])).output) as Container[];
}

export const serviceOf = ({ Config }: Container): string => Config.Labels['com.docker.compose.service'] ?? '';

export const isRunning = ({ State }: Container): boolean => State.Status === 'running';

/** The address of a service's only container in the network of servers. */
export async function addressOf(project: RunningProject, service: string): Promise<string> {
  const found = (await containersOf(project)).filter((one) => serviceOf(one) === service);
  const address = found[0]?.NetworkSettings.Networks[`${project.name}_back`]?.IPAddress ?? '';
  if (found.length !== 1 || address === '') throw new Error(`${service} is not there once`);
  return address;
}
