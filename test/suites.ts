import { resolve } from 'node:path';
import { ownEnvironment } from '../infra/environment.ts';

/** A folder of tests. */
export interface Suite {
  name: string;
  path: string;
  mode: 'embedded' | 'distributed';
  /** Whether its tests use servers that are given to them; those that start their own do not. */
  needsServers: boolean;
  /** Whether it runs last, without a neighbour: some tests are about what happens in time. */
  alone?: boolean;
}

/** What came of one suite or check. */
export interface Outcome {
  name: string;
  passed: number;
  failed: number;
  seconds: number;
}

const ROOT = resolve(import.meta.dirname, '..');

/** A suite that hangs is ended after this many ms. The longest takes a sixth of it beside another one. */
const SUITE_LIMIT_MS = 1_800_000;

/** Runs a tool of `node_modules/.bin` that passes or fails as a whole. */
export async function runCheck(name: string, [tool = '', ...args]: string[]): Promise<Outcome> {
  process.stdout.write(`\n── ${name}\n`);
  const command = [`${ROOT}/node_modules/.bin/${tool}`, ...args];
  const { code, seconds } = await run(command, {}, (chunk) => process.stdout.write(chunk));
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds };
}

/**
 * Runs a folder of tests. One that ran none, or ended without its closing lines, has failed. What it prints comes as it
 * comes, or with `live: false` all at once when it ends, so that suites side by side stay readable.
 */
export async function runTests(
  { name, path, mode }: Suite,
  env: Record<string, string>,
  { live }: { live: boolean },
): Promise<Outcome> {
  const kept: Uint8Array[] = [];
  const { code, output, seconds } = await run(
    [process.execPath, 'test', '--timeout', '60000', path],
    { ...env, PERCH_TEST_MODE: mode },
    (chunk) => (live ? process.stdout.write(chunk) : kept.push(chunk)),
  );
  const passed = lastCount(output, 'pass');
  const failed = lastCount(output, 'fail');
  const broken = (code !== 0 && failed === 0) || passed + failed === 0;
  if (!live) {
    process.stdout.write(`\n── ${name}\n`);
    for (const chunk of kept) process.stdout.write(chunk);
    process.stdout.write(`── ${name} took ${seconds.toFixed(1)} s: ${passed} passed, ${failed} failed\n`);
  }
  if (broken) process.stdout.write(`── ${name} ended with ${code}, before its tests were through\n`);
  return { name, passed, failed: broken ? failed + 1 : failed, seconds };
}

const lastCount = (output: string, word: string): number =>
  Number(Array.from(output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))).at(-1)?.[1] ?? 0);

async function run(
  command: string[],
  env: Record<string, string>,
  take: (chunk: Uint8Array) => void,
): Promise<{ code: number; output: string; seconds: number }> {
  const started = performance.now();
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...ownEnvironment(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: SUITE_LIMIT_MS,
  });
  const outputs = [read(child.stdout, take), read(child.stderr, take)];
  const output = (await Promise.all(outputs)).join('');
  const code = await child.exited;
  return { code, output, seconds: (performance.now() - started) / 1000 };
}

async function read(stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    take(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
