import { afterEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { processTree, signalAll, waitUntilGone } from '../../../infra/servers/process-tree.ts';
import { until } from '../../../infra/until.ts';
import { createRenderer, type Renderer } from '../../../services/content/render/renderer.ts';
import { errors } from '../../../shared/errors.ts';
import { turns } from '../../../shared/turns.ts';
import { soon } from '../../call-context.ts';

const MODULE = import.meta.resolve('../../../services/content/render/renderer.ts');

type Input = Parameters<Renderer['render']>[0];

/** Keeps one regular expression busy for longer than anybody waits. */
const STUCK: Input = {
  format: 'TEXT',
  language: 'csharp',
  content: 'a<b>\n'.repeat(20_000),
  title: null,
  filename: null,
};
const page = (content: string): Input => ({
  format: 'MARKDOWN',
  language: null,
  content,
  title: null,
  filename: null,
});

let renderer: Renderer | undefined;
let reasons: unknown[] = [];

function start(deadlineMs = 10_000): Renderer {
  reasons = [];
  renderer = createRenderer({
    deadlineMs,
    denseDeadlineMs: deadlineMs,
    workers: 1,
    idleMs: 60_000,
    log: { warn: ({ reason }) => void reasons.push(reason) },
    refuse: () => errors.refused('renderings'),
  });
  return renderer;
}

afterEach(async () => {
  await renderer?.close();
  renderer = undefined;
});

/** The processes that render for another. */
const renderProcesses = (of = process.pid): number[] =>
  processTree(of).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('render-worker'));

/** Processor time of this process and its children, in ms. */
function processorTime(): number {
  const ticks = processTree(process.pid).map((pid) => {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  });
  return 10 * ticks.reduce((sum, count) => sum + count, 0);
}

test('nothing goes on with a page that missed its deadline', async () => {
  const { render } = start(1_000);
  expect(await render(STUCK, soon())).toBeNull();
  expect(reasons).toEqual(['render took more than 1000 ms']);
  expect((await render(page('# Next'), soon()))?.title).toBe('Next');
  const before = processorTime();
  await Bun.sleep(2_000);
  // A page that went on would take all of a core.
  expect(processorTime() - before).toBeLessThan(1_000);
});

test('a process that dies at work loses its page, and the next one is rendered', async () => {
  const { render } = start();
  await render(page('# First'), soon());
  const before = processorTime();
  const lost = render(STUCK, soon());
  await until('the process works at the page', async () => processorTime() - before > 200);
  signalAll(renderProcesses(), 'SIGKILL');
  expect(await lost).toBeNull();
  expect(reasons).toEqual(['the render process ended with SIGKILL']);
  expect((await render(page('# Next'), soon()))?.title).toBe('Next');
});

test('a page whose process dies before it has it goes to another one', async () => {
  const { render } = start();
  const rendered = render(page('# First'), soon());
  // Before it has loaded its modules.
  await turns(1);
  signalAll(renderProcesses(), 'SIGKILL');
  expect((await rendered)?.title).toBe('First');
  expect(reasons).toEqual([]);
});

test('a page for which no process could be started is not rendered now, and may be later', async () => {
  const { render } = start();
  const killing = setInterval(() => signalAll(renderProcesses(), 'SIGKILL'), 1);
  const refused = await render(page('# First'), soon()).catch((error: unknown) => error);
  clearInterval(killing);
  expect(refused).toMatchObject({ code: 'UNAVAILABLE' });
  expect((await render(page('# First'), soon()))?.title).toBe('First');
});

test('a process that dies at rest loses no page', async () => {
  const { render } = start();
  await render(page('# First'), soon());
  const [pid = 0] = renderProcesses();
  signalAll([pid], 'SIGKILL');
  expect(await waitUntilGone([pid], 10_000)).toEqual([]);
  await Bun.sleep(50);
  expect((await render(page('# Next'), soon()))?.title).toBe('Next');
  expect(reasons).toEqual([]);
});

test('signals to all processes of a terminal do not end it, and it is given no settings of the service', async () => {
  const { render } = start();
  await render(page('# First'), soon());
  const pids = renderProcesses();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) signalAll(pids, signal);
  expect((await render(page('# Next'), soon()))?.title).toBe('Next');
  expect(renderProcesses()).toEqual(pids);
  const [pid = 0] = pids;
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/\bPATH=/);
});

test.each([
  ['at rest', 'await'],
  ['at work', 'void'],
])('%s it ends with the process that it renders for, also when that is killed', async (_, how) => {
  const script = `
    const { createRenderer } = await import(${JSON.stringify(MODULE)});
    const { render } = createRenderer({ deadlineMs: 60000, denseDeadlineMs: 60000, workers: 1, idleMs: 600000, log: { warn() {} }, refuse: () => new Error('full') });
    const context = { requestId: '', deadline: Date.now() + 60000 };
    await render(${JSON.stringify(page('# First'))}, context);
    ${how} render(${how === 'void' ? JSON.stringify(STUCK) : JSON.stringify(page('# Next'))}, context);
    await Bun.sleep(500);
    process.stdout.write('so far');
    await Bun.sleep(600000);`;
  const parent = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' });
  await parent.stdout.getReader().read();
  const pids = renderProcesses(parent.pid);
  expect(pids).toHaveLength(1);
  parent.kill('SIGKILL');
  await parent.exited;
  const left = await waitUntilGone(pids, 10_000);
  signalAll(left, 'SIGKILL');
  expect(left).toEqual([]);
});
