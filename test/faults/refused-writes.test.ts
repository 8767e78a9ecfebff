import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { type ServiceProcess, startService } from '../../infra/service-process.ts';
import { type Instance, startInstance } from '../instance.ts';
import { createPage, readRaw, type Seen, send, statusOf, updatePage } from './client.ts';
import { until } from './waiting.ts';

setDefaultTimeout(180_000);

const MARKDOWN = 'text/markdown';
/** Markdown that no renderer gets through in time: its parser needs the square of its length. */
const SLOW = '**a* '.repeat(65_536);
/** Pages of it that keep one renderer longer than any request waits for it. */
const FILLING = 20;

let perch: Instance;
let second: ServiceProcess | null = null;

beforeAll(async () => {
  perch = await startInstance({ mode: 'distributed', env: { RENDER_WORKERS: '1', TRUST_PROXY: '1' } });
}, 300_000);
afterAll(async () => {
  await second?.stop();
  await perch?.stop();
}, 300_000);

const post = (id: string, content: string): Promise<Seen> =>
  createPage(perch.url, { id, type: MARKDOWN, content });
const put = (content: string): Promise<Seen> => updatePage(perch.url, '/faults/subject', content, MARKDOWN);
const contentOf = async (id: string): Promise<string> => {
  const seen = await readRaw(perch.url, `/faults/${id}`);
  return seen.answered && seen.status === 200 ? seen.text : `${statusOf(seen)}`;
};

test('what was refused as late is never done: no update over a later one, no create', async () => {
  expect(statusOf(await post('subject', '# v0'))).toBe(201);
  const fill = (first: number): Array<Promise<Seen>> =>
    Array.from({ length: FILLING }, (_, n) => post(`filling-${first + n}`, SLOW));
  const filling = fill(0);
  await Bun.sleep(300);

  // Others publish meanwhile: they wait for a page or two, not for all of them.
  const others = await Promise.all(
    ['198.51.100.7', '2001:db8::7'].map((address) =>
      send(`${perch.url}/api/html?ns=faults`, {
        method: 'POST',
        body: '# From elsewhere',
        headers: { 'Content-Type': MARKDOWN, 'X-Forwarded-For': address },
      }),
    ),
  );
  expect(others.map(statusOf)).toEqual([201, 201]);

  // The renderer has more work than there is time for, also when the first pages are given up.
  filling.push(...fill(FILLING));
  await Bun.sleep(300);
  expect(statusOf(await put('# v1'))).toBe(504);
  second = await startService('content', { dir: perch.dir, env: perch.env, label: 'content-second' });
  await until('another process makes an update', async () => statusOf(await put('# v2')) === 200);
  expect(await contentOf('subject')).toBe('# v2');

  const statuses = (await Promise.all(filling)).map(statusOf);
  await second.stop();
  second = null;
  // Behind everything that its client has ever asked the first process to render.
  await until('the first process renders again', async () => {
    const status = statusOf(await post('behind', '# behind'));
    return status === 201 || status === 409;
  });
  expect(await contentOf('subject')).toBe('# v2');
  const made = await Promise.all(statuses.map((_, n) => contentOf(`filling-${n}`)));
  expect(made.map((content) => content === SLOW)).toEqual(statuses.map((status) => status === 201));
  expect(new Set(statuses)).toEqual(new Set([201, 504]));
});
