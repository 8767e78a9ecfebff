import { rm } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Builds the client into one module and its types; both need nothing beside them. */
export async function buildClient(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const module = { entrypoints: [join(ROOT, 'clients/js/src/index.ts')], outdir: folder };
  await Bun.build({
    ...module,
    target: 'browser',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
  });
  const types = [
    '--noEmit',
    'false',
    '--declaration',
    '--emitDeclarationOnly',
    '--outDir',
    join(folder, 'types'),
  ];
  await run([join(ROOT, 'node_modules/.bin/tsc'), '-p', 'clients/js', ...types]);
}

/** Builds the command into one module that runs on Node.js and Bun. */
export async function buildCommand(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const module = { entrypoints: [join(ROOT, 'clients/cli/src/main.ts')], outdir: folder, naming: 'perch.js' };
  await Bun.build({ ...module, target: 'node', format: 'esm', minify: { whitespace: true, syntax: true } });
}

/** Compiles the command, with Bun in it, into one file that needs nothing else. */
export async function compileCommand(file: string): Promise<void> {
  const entry = join(ROOT, 'clients/cli/src/main.ts');
  await run([process.execPath, 'build', '--compile', '--minify', entry, '--outfile', file]);
}

async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${command[0]} failed`);
}

if (import.meta.main) {
  await buildClient(join(ROOT, 'clients/js/dist'));
  await buildCommand(join(ROOT, 'clients/cli/dist'));
  process.stdout.write('built clients/js/dist and clients/cli/dist\n');
  if (process.argv.includes('--binary')) {
    await compileCommand(join(ROOT, 'clients/cli/dist/perch'));
    process.stdout.write('built clients/cli/dist/perch\n');
  }
}
