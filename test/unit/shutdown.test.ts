import { expect, test } from 'bun:test';
import { resolve } from 'node:path';

const SHARED = resolve(import.meta.dirname, '../../shared');

/** A process that logs a line, meets its end, and would go on for longer than a test may. */
async function runToItsEnd(end: string): Promise<{ exitCode: number; messages: string[] }> {
  const script = `
    const { createLogger } = await import('${SHARED}/logger.ts');
    const { stopOnSignal } = await import('${SHARED}/run-process.ts');
    const { log, flush } = createLogger('test', 'info');
    stopOnSignal(log, flush, () => [
      { name: 'fails', stop: () => Promise.reject(new Error('no')) },
      { name: 'second', stop: () => log.info('second step') },
    ]);
    log.info('before');
    setTimeout(() => undefined, 60_000);
    ${end}`;
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'ignore' });
  const [output, exitCode] = await Promise.all([child.stdout.text(), child.exited]);
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return { exitCode, messages: lines.map((line) => (JSON.parse(line) as { msg: string }).msg) };
}

test('a signal runs every step, also after one that fails', async () => {
  expect(await runToItsEnd("process.kill(process.pid, 'SIGTERM');")).toEqual({
    exitCode: 0,
    messages: ['before', 'stopping', 'a step of the stop failed', 'second step', 'stopped'],
  });
});

test.each([
  "setTimeout(() => { throw new Error('thrown'); });",
  "void Promise.reject(new Error('rejected'));",
])('a crash leaves its reason and the lines before it in the log %#', async (end) => {
  const { exitCode, messages } = await runToItsEnd(end);
  expect(exitCode).toBe(1);
  expect(messages).toEqual(['before', 'nobody caught this error; ending']);
});
