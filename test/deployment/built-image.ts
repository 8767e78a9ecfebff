import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { $ } from 'bun';
import { ownEnvironment } from '../../infra/environment.ts';
import { oncePerRun } from '../started.ts';
import { PROJECT } from './compose-file.ts';
import { type ImageStage, type ImageStep, readImageFile } from './image-file.ts';

export const IMAGE_FILE = join(PROJECT, 'infra/Dockerfile');

/** The content of the image, in a folder. */
export interface BuiltImage {
  /** Stands for `/` of the image; what the base image holds is not there. */
  root: string;
  /** How the image is started. */
  stage: ImageStage;
  /** Removes it. */
  stop(): Promise<void>;
}

type CopyStep = Extract<ImageStep, { kind: 'copy' }>;

/**
 * Carries out the steps of infra/Dockerfile without Docker, each stage in a folder of its own: copies from the project
 * take what `.dockerignore` lets through, commands run with this machine's shell and npm in the stage's folder. Nobody
 * may write to the result but where the image says so. Once a run, as it installs all packages.
 */
export const builtImage = oncePerRun(build);

async function build(): Promise<BuiltImage> {
  const dir = await mkdtemp(join(tmpdir(), 'perch-image-'));
  const stop = async (): Promise<void> => {
    await $`chmod -R u+w ${dir}`.quiet();
    await rm(dir, { recursive: true, force: true });
  };
  try {
    // The user of the image has to get in.
    await chmod(dir, 0o755);
    const stages = readImageFile(IMAGE_FILE);
    for (const stage of stages) await carryOut(stage, dir);
    const last = stages.at(-1);
    if (last === undefined) throw new Error('the Dockerfile has no stage');
    const root = join(dir, last.name);
    await close(last, root);
    return { root, stage: last, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function carryOut(stage: ImageStage, dir: string): Promise<void> {
  const root = join(dir, stage.name);
  let workdir = '/';
  for (const step of stage.steps) {
    if (step.kind === 'workdir') workdir = resolve(workdir, step.path);
    await mkdir(join(root, workdir), { recursive: true });
    if (step.kind === 'run') {
      const command = await $`sh -c ${step.command}`
        .cwd(join(root, workdir))
        .env(buildEnvironment())
        .quiet()
        .nothrow();
      if (command.exitCode !== 0) throw new Error(`${step.command} failed:\n${command.stderr.toString()}`);
    }
    if (step.kind === 'copy') await copy(step, dir, resolve(workdir, step.target), root);
  }
}

async function copy(step: CopyStep, dir: string, target: string, root: string): Promise<void> {
  const isInContext = contextOf(join(PROJECT, '.dockerignore'));
  const from = step.from === null ? PROJECT : join(dir, step.from);
  const destination = join(root, target);
  for (const source of step.sources) {
    const path = join(from, source);
    if (step.from === null && !isInContext(source)) throw new Error(`.dockerignore keeps ${source} out`);
    if (!existsSync(path)) throw new Error(`${source} is not there to be copied`);
    const isFolder = (await stat(path)).isDirectory();
    // As Docker does: a folder's content, and a file into a folder when the target ends with a slash.
    const isInto = !isFolder && (step.target.endsWith('/') || step.sources.length > 1);
    const copied = isInto ? join(destination, basename(source)) : destination;
    await mkdir(dirname(copied), { recursive: true });
    // Files of another stage do not change any more: hard links are as good as a copy, and quicker.
    if (step.from !== null) await $`cp -rl ${path} ${copied}`.quiet();
    else
      await cp(path, copied, { recursive: true, filter: (entry) => isInContext(relative(PROJECT, entry)) });
  }
}

/** Read-only, but for what belongs to the image's user. */
async function close(stage: ImageStage, root: string): Promise<void> {
  await $`chmod -R a-w ${root}`.quiet();
  for (const step of stage.steps) {
    if (step.kind !== 'copy' || step.owner === null) continue;
    await $`chmod -R u+w ${join(root, step.target)}`.quiet();
    if (process.geteuid?.() === 0) await $`chown -R ${step.owner} ${join(root, step.target)}`.quiet();
  }
}

/** Where npm finds its packages, but nothing that an npm this runs under has said to its scripts. */
function buildEnvironment(): Record<string, string | undefined> {
  const npmScript = /^npm_(?!config_(registry|cache|userconfig)$)/;
  const kept = Object.entries(ownEnvironment()).filter(
    ([name]) => !npmScript.test(name) && name !== 'NODE_ENV',
  );
  return {
    ...Object.fromEntries(kept),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

/**
 * Whether a path of the project goes into the image's context by `.dockerignore`: the last line that matches decides.
 * Of its patterns `*` alone and plain paths are known; a path stands for all below it, too.
 *
 * @throws Error for any other pattern
 */
function contextOf(ignoreFile: string): (path: string) => boolean {
  const rules = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ keeps: line.startsWith('!'), pattern: line.replace(/^!/, '') }));
  for (const { pattern } of rules) {
    if (pattern !== '*' && /[*?[\]\\]/.test(pattern))
      throw new Error(`a pattern that is not known here: ${pattern}`);
  }
  const matches = (pattern: string, path: string) =>
    pattern === '*' || path === pattern || path.startsWith(`${pattern}/`);
  return (path) => rules.findLast(({ pattern }) => matches(pattern, path))?.keeps ?? true;
}
