import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Peers that are built once stay here. */
const ROOT = join(homedir(), '.cache', 'perch-bench');

/**
 * The command of a crate, which is built from crates.io at the first call: some minutes of a processor.
 * @returns `null` where there is no cargo
 * @throws Error with the end of cargo's output when the build fails
 */
export async function buildCrate(
  name: string,
  version: string,
  say: (line: string) => void,
): Promise<string | null> {
  const folder = join(ROOT, `${name}-${version}`);
  const command = join(folder, 'bin', name);
  if (existsSync(command)) return command;
  const cargo = Bun.which('cargo');
  if (cargo === null) return null;
  say(`building ${name} ${version}, once; this takes some minutes`);
  const build = Bun.spawn([cargo, 'install', name, '--version', version, '--locked', '--root', folder], {
    ...{ stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' },
  });
  const [output, code] = await Promise.all([build.stderr.text(), build.exited]);
  if (code !== 0) throw new Error(`cargo could not build ${name}:\n${output.slice(-2_000)}`);
  return command;
}
