import type { RunningProject } from './project.ts';

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
