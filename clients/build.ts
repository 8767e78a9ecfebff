import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/** Builds the client into one module and its types; both need nothing beside them. */
export async function buildClient(folder = join(ROOT, 'clients/js/dist')): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const module = { entrypoints: [join(ROOT, 'clients/js/src/index.ts')], outdir: folder };
  await Bun.build({
    ...module,
    target: 'browser',
    format: 'esm',
    minify: { whitespace: true, syntax: true },
  });
  await run(
    ['tsc', '-p', 'clients/js', '--noEmit', 'false', '--declaration', '--emitDeclarationOnly'],
    folder,
  );
}

async function run([tool = '', ...args]: string[], folder: string): Promise<void> {
  const command = [join(ROOT, 'node_modules/.bin', tool), ...args, '--outDir', join(folder, 'types')];
  const child = Bun.spawn(command, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${tool} failed`);
}

if (import.meta.main) {
  await buildClient();
  process.stdout.write(`built ${relative(process.cwd(), join(ROOT, 'clients/js/dist'))}\n`);
}
