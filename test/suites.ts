import { resolve } from 'node:path';
import { ownEnvironment } from '../infra/environment.ts';
import type { Depth } from './depth.ts';
import { type Failure, failureOf, failuresIn } from './failures.ts';

/** Turns one after the other; the suites of a turn run side by side. */
export const TURNS = ['others', 'faults', 'alone'] as const;
export type Turn = (typeof TURNS)[number];

/** A folder of tests, or files of one. */
export interface Suite {
  name: string;
  /** Which of the suites of this name, where there are several; their outcomes count as one. */
  part?: string;
  paths: string[];
  mode: 'embedded' | 'distributed';
  /** Whether its tests use servers that are given to them; those that start their own do not. */
  needsServers: boolean;
  /** `others` unless given. Faults are about what happens in time: they have a turn of their own, and some of them run one at a time. */
  turn?: Turn;
  /** The shortest run that has it: `npm test` unless it takes long, or needs more than a checkout. */
  from?: Depth;
  /** Why it cannot be run on this machine; `null`: it can. */
  whyNot?: () => Promise<string | null>;
}

/** Suites that this machine can run, and the others in words: those count as neither passed nor failed. */
export async function withoutImpossible(asked: Suite[]): Promise<{ suites: Suite[]; notRun: string[] }> {
  const suites: Suite[] = [];
  const notRun: string[] = [];
  for (const suite of asked) {
    const reason = (await suite.whyNot?.()) ?? null;
    if (reason === null) suites.push(suite);
    else notRun.push(`NOT RUN: ${suite.name}: ${reason}`);
  }
  return { suites, notRun };
}

/** The result of one suite or check. */
export interface Outcome {
  name: string;
  passed: number;
  failed: number;
  seconds: number;
  /** The failed tests, as far as they are known. */
  failures: Failure[];
}

const ROOT = resolve(import.meta.dirname, '..');

/** A suite that hangs is ended after this many ms. The longest takes a sixth of it beside another one. */
const SUITE_LIMIT_MS = 1_800_000;

/** Runs a tool of `node_modules/.bin` that passes or fails as a whole; prints when it ends, as others run beside it. */
export async function runCheck(
  name: string,
  [tool = '', ...args]: string[],
  signal: AbortSignal,
): Promise<Outcome> {
  const command = [`${ROOT}/node_modules/.bin/${tool}`, ...args];
  const { code, out, err, seconds } = await run(command, { env: {}, signal }, () => undefined);
  process.stdout.write(`\n── ${name}\n${out}${err}`);
  if (code === 0) return { name, passed: 1, failed: 0, seconds, failures: [] };
  const failure = failureOf(`ended with ${code}`, [tool, ...args].join(' '), out + err);
  return { name, passed: 0, failed: 1, seconds, failures: [failure] };
}

/**
 * Runs a folder of tests. A run without tests, or without its closing lines, has failed. Output is passed on as it
 * comes, or with `live: false` in one piece at the end, so that concurrent suites stay readable.
 */
export async function runTests(
  suite: Suite,
  env: Record<string, string>,
  { live, signal }: { live: boolean; signal: AbortSignal },
): Promise<Outcome> {
  const { name, paths, mode } = suite;
  const kept: Uint8Array[] = [];
  const { code, out, err, seconds } = await run(
    [process.execPath, 'test', '--timeout', '60000', ...paths],
    { env: { ...env, PERCH_TEST_MODE: mode }, signal },
    (chunk) => (live ? process.stdout.write(chunk) : kept.push(chunk)),
  );
  const passed = lastCount(err, 'pass');
  const failed = lastCount(err, 'fail');
  const broken = (code !== 0 && failed === 0) || passed + failed === 0;
  if (!live) {
    const title = titleOf(suite);
    process.stdout.write(`\n── ${title}\n`);
    for (const chunk of kept) process.stdout.write(chunk);
    process.stdout.write(`── ${title} took ${seconds.toFixed(1)} s: ${passed} passed, ${failed} failed\n`);
  }
  const failures = failuresIn(err);
  if (broken) {
    const what = `ended with ${code}, before its tests were through`;
    process.stdout.write(`── ${name} ${what}\n`);
    failures.push(failureOf(what, paths.join(' '), out + err));
  }
  return { name, passed, failed: broken ? failed + 1 : failed, seconds, failures };
}

/** The name of a suite while it runs. */
export const titleOf = ({ name, part }: Pick<Suite, 'name' | 'part'>): string =>
  part === undefined ? name : `${name}: ${part}`;

/** One outcome for each name: tests and seconds of its parts together. */
export function addUp(outcomes: Outcome[]): Outcome[] {
  return [...Map.groupBy(outcomes, ({ name }) => name)].map(([name, parts]) => ({
    name,
    passed: sumOf(parts, 'passed'),
    failed: sumOf(parts, 'failed'),
    seconds: sumOf(parts, 'seconds'),
    failures: parts.flatMap(({ failures }) => failures),
  }));
}

const sumOf = (outcomes: Outcome[], count: 'passed' | 'failed' | 'seconds'): number =>
  outcomes.reduce((sum, outcome) => sum + outcome[count], 0);

const lastCount = (output: string, word: string): number =>
  Number(Array.from(output.matchAll(new RegExp(`^\\s*(\\d+) ${word}$`, 'gm'))).at(-1)?.[1] ?? 0);

/** Ends the child when the signal is given. */
async function run(
  command: string[],
  { env, signal }: { env: Record<string, string>; signal: AbortSignal },
  take: (chunk: Uint8Array) => void,
): Promise<{ code: number; out: string; err: string; seconds: number }> {
  const started = performance.now();
  const child = Bun.spawn(command, {
    cwd: ROOT,
    env: { ...ownEnvironment(), ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: SUITE_LIMIT_MS,
    signal,
  });
  const [out, err] = await Promise.all([read(child.stdout, take), read(child.stderr, take)]);
  const code = await child.exited;
  return { code, out, err, seconds: (performance.now() - started) / 1000 };
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
