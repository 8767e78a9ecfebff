import { copyFile, cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ran, runToEnd } from './engine.ts';

const FOLDER = join(import.meta.dirname, 'stand-ins');
const PROJECT = join(import.meta.dirname, '../..');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
const BUILD_LIMIT_MS = 10 * 60_000;

/** Which stage of stand-ins/Dockerfile stands for which image: those of docker-compose.yml and of infra/Dockerfile. */
export async function standIns(): Promise<Map<string, string>> {
  const compose = await Bun.file(join(PROJECT, 'docker-compose.yml')).text();
  const file = Bun.YAML.parse(compose) as { services: Record<string, { image?: string }> };
  const stages = new Map<string, string>();
  for (const [service, { image = '' }] of Object.entries(file.services)) {
    const name = image.replace(/^\$\{\w+:-(.*)\}$/, '$1');
    // The first of two services with one image has the stage's name.
    if (name !== '' && !name.startsWith('perch:') && !stages.has(name)) stages.set(name, service);
  }
  const image = await Bun.file(join(PROJECT, 'infra/Dockerfile')).text();
  const bases = Array.from(image.matchAll(/^FROM (\S+)/gm), ([, name = '']) => name);
  for (const name of bases) stages.set(name, name.startsWith('node:') ? 'node' : 'distroless');
  return stages;
}

/** Builds all of them in an engine, from the tree that it runs on itself. */
export async function buildStandIns(use: {
  inside(command: string[], limitMs?: number): Promise<Ran>;
  tree: string;
  /** A folder that the engine sees under the same name. */
  context: string;
  minio: string;
}): Promise<void> {
  const { inside, context } = use;
  for (const file of await readdir(FOLDER)) await copyFile(join(FOLDER, file), join(context, file));
  await copyFile(use.minio, join(context, 'minio'));
  await copyFile(CERTIFICATES, join(context, 'ca-certificates.crt'));
  const packages = (await runToEnd(['npm', 'root', '-g'])).output.trim();
  await cp(join(packages, 'npm'), join(context, 'npm'), { recursive: true });
  const archive = join(context, 'tree.tar');
  await runToEnd(['tar', '-C', use.tree, '-cf', archive, '.'], BUILD_LIMIT_MS);
  await inside(['docker', 'import', archive, 'perch-engine/tree'], BUILD_LIMIT_MS);
  await Bun.file(archive).delete();
  for (const [image, stage] of await standIns())
    await inside(['docker', 'build', '-q', '--target', stage, '-t', image, context], BUILD_LIMIT_MS);
}
