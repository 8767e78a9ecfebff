import { resolve } from 'node:path';
import { ownEnvironment } from '../infra/environment.ts';

/** What came of one suite or check. */
export interface Outcome {
  name: string;
  passed: number;
  failed: number;
  seconds: number;
}

const ROOT = resolve(import.meta.dirname, '..');

/** A suite that hangs is ended after this many ms. */
const SUITE_LIMIT_MS = 900_000;

/** Runs a tool of `node_modules/.bin` that passes or fails as a whole. */
export async function runCheck(name: string, [tool = '', ...args]: string[]): Promise<Outcome> {
  const { code, seconds } = await run(name, [`${ROOT}/node_modules/.bin/${tool}`, ...args], {});
  return { name, passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, seconds };
}

/** Runs a folder of tests. One that ran none, or ended without its closing lines, has failed. */
export async function runTests(name: string, path: string, env: Record<string, string>): Promise<Outcome> {
  const { code, output, seconds } = await run(
    name,
    [process.execPath, 'test', '--timeout', '60000', path],
    env,
  );
  const passed = lastCount(output, 'pass');
  const failed = lastCount(output, 'fail');
  const broken = (code !== 0 && failed === 0) || passed + failed === 0;
  return { name, passed, failed: broken ? failed + 1 : failed, seconds };
}

const lastCount = (output: string, word: string): number =>
  Number(Array.from(output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))).at(-1)?.[1] ?? 0);

async function run(name: string, command: string[], env: Record<string, string>) {
  process.stdout.write(`\n── ${name}\n`);
  const started = performance.now();
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...ownEnvironment(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: SUITE_LIMIT_MS,
  });
  const [output, errors] = await Promise.all([passOn(child.stdout), passOn(child.stderr)]);
  const code = await child.exited;
  return { code, output: output + errors, seconds: (performance.now() - started) / 1000 };
}

async function passOn(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    process.stdout.write(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}
