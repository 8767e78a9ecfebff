import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { $ } from 'bun';
import { PROJECT, readComposeFile, serviceOf } from './compose-file.ts';

const SCRIPT = join(PROJECT, 'infra/compose/make-secrets.sh');

/** Secrets as an operator makes them, in a folder of their own; made by calling it again, where they are. */
export async function makeSecrets(folder?: string): Promise<{ folder: string; remove(): Promise<void> }> {
  const made = folder ?? join(await mkdtemp(join(tmpdir(), 'perch-secrets-')), 'secrets');
  await $`sh ${SCRIPT} ${made}`.quiet();
  return { folder: made, remove: () => rm(join(made, '..'), { recursive: true, force: true }) };
}

/** Variables as a container has them, for a process outside of one: the mounted secrets lie in `folder`. */
export const withSecretsIn = (folder: string, env: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.replace(/^\/run\/secrets/, folder)]),
  );

/**
 * Runs what makes a database role, `service-role` or `grafana-role` of the compose file, as its container would, on another
 * server and with secrets from a folder.
 *
 * @throws with what it wrote, when it fails
 */
export async function makeDatabaseRole(name: string, pgUrl: string, secrets: string): Promise<string> {
  const { entrypoint = [], environment, volumes = [] } = serviceOf(readComposeFile(), name);
  const [shell = '', script = '', role = ''] = entrypoint;
  const dir = await mkdtemp(join(tmpdir(), 'perch-database-role-'));
  try {
    for (const volume of volumes) {
      const [source = '', target = ''] = String(volume).split(':');
      await copyFile(join(PROJECT, source), join(dir, basename(target)));
    }
    const { hostname, port, username, pathname } = new URL(pgUrl);
    const there = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) };
    const run = await $`${shell} ${join(dir, basename(script))} ${role}`
      .env({ PATH: Bun.env.PATH, ...withSecretsIn(secrets, environment), ...there })
      .quiet()
      .nothrow();
    const output = run.stdout.toString() + run.stderr.toString();
    if (run.exitCode !== 0) throw new Error(`${name} ended with ${run.exitCode}: ${output}`);
    return output;
  } finally {
    await rm(dir, { recursive: true });
  }
}
