import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MODULES = resolve(import.meta.dirname, '../../node_modules');

const OPTIONS = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  types: [],
  lib: ['ESNext', 'DOM'],
  target: 'ESNext',
  module: 'Preserve',
  moduleResolution: 'bundler',
};

/**
 * The complaints of the TypeScript compiler about modules, by their names: one line each. The only way to hold a value against
 * a published type so that a field which that type does not have is found, too.
 */
export async function compilerFaults(modules: Record<string, string>): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-compile-'));
  try {
    await symlink(MODULES, join(dir, 'node_modules'));
    await Bun.write(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions: OPTIONS }));
    for (const [name, text] of Object.entries(modules)) await Bun.write(join(dir, `${name}.ts`), text);
    const command = [join(MODULES, '.bin/tsc'), '-p', dir, '--pretty', 'false'];
    const compiler = Bun.spawn(command, { cwd: dir, stdout: 'pipe' });
    const [output, code] = await Promise.all([compiler.stdout.text(), compiler.exited]);
    const lines = output.split('\n').filter((line) => line !== '');
    if (code !== 0 && lines.length === 0) throw new Error(`the compiler ended with ${code}`);
    return lines;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
