import { join } from 'node:path';
import { commandPath } from '../servers/debian.ts';

const REPORT = join(import.meta.dirname, 'wrk-report.lua');
const GET = join(import.meta.dirname, 'wrk-get.lua');
const PUT = join(import.meta.dirname, 'wrk-put.lua');

export interface Load {
  /** Requests whose answer arrived whole. */
  requests: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers that were neither 2xx nor 3xx. */
  badStatus: number;
  socketErrors: number;
  /** Processor time of wrk itself. */
  cpuMs: number;
}

/** The output of wrk-report.lua. */
interface WrkReport {
  requests: number;
  durationUs: number;
  p50Us: number;
  p99Us: number;
  badStatus: number;
  socketErrors: number;
}

interface WrkOptions {
  connections: number;
  seconds: number;
  /** `Accept-Encoding` of the requests; left out: none, which asks for the plain form. */
  coding?: string | undefined;
}

/** Asks for one address over and over, on kept-alive connections, for a number of seconds. */
export async function runWrk(url: string, options: WrkOptions): Promise<Load> {
  return await run(options, ['--script', REPORT, url]);
}

/** Asks for one path below an address after the other, over and over. */
export async function runWrkPaths(url: string, paths: string[], options: WrkOptions): Promise<Load> {
  return await run(options, ['--script', GET, url, '--', ...paths]);
}

/** PUTs values of 1 KB into the keys `k0`, `k1`, … of a store, one after the other. */
export async function runWrkPuts(
  store: { url: string; path: string; ownerToken: string; keys: number },
  options: WrkOptions,
): Promise<Load> {
  const { url, path, ownerToken, keys } = store;
  return await run(options, ['--script', PUT, url, '--', path, ownerToken, String(keys)]);
}

async function run({ connections, seconds, coding }: WrkOptions, what: string[]): Promise<Load> {
  // One thread: with two, the load generator alone could fill a machine of two cores.
  const flags = ['--threads', '1', '--connections', String(connections), '--duration', `${seconds}s`];
  const headers = ['User-Agent: wrk/4', ...(coding === undefined ? [] : [`Accept-Encoding: ${coding}`])];
  const sent = headers.flatMap((header) => ['--header', header]);
  const wrk = Bun.spawn([commandPath('wrk'), ...flags, ...sent, ...what], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: (seconds + 30) * 1000,
  });
  const [output, errors] = await Promise.all([wrk.stdout.text(), wrk.stderr.text(), wrk.exited]);
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  if (wrk.exitCode !== 0 || !line.startsWith('{')) throw new Error(`wrk failed:\n${output}\n${errors}`);
  const { requests, durationUs, p50Us, p99Us, badStatus, socketErrors } = JSON.parse(line) as WrkReport;
  return {
    requests,
    badStatus,
    socketErrors,
    perSecond: requests / (durationUs / 1e6),
    p50Ms: p50Us / 1000,
    p99Ms: p99Us / 1000,
    cpuMs: Number(wrk.resourceUsage()?.cpuTime.total ?? 0) / 1000,
  };
}
