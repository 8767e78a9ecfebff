import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { $ } from 'bun';
import { PROJECT } from './compose-file.ts';

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
