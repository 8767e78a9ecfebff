import { afterEach, beforeAll, expect, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import { type Published, raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fastPathAnswers } from './support/fast-paths.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ env: { TRUST_PROXY: '1' } });

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** Texts whose views of some 9 MB are more than the kernel keeps for a reader. One client may leave seven of them unread. */
const UNREAD = 9;
const VIEW_BYTES = 9_000_000;
const pages: Published[] = [];
let further: Published;

beforeAll(async () => {
  const publish = (seed: string) =>
    perch.publish(
      raw(`${seed}\n${'&'.repeat(1_000_000)}${'x'.repeat(VIEW_BYTES - 5_000_000)}`, 'text/plain'),
    );
  further = await publish('further');
  for (let n = 0; n < UNREAD; n++) pages.push(await publish(`unread ${n}`));
}, 60_000);

const ask = (page: Published, client: string, method = 'GET'): Promise<Response> =>
  perch.request(shortPath(page), { method, headers: { 'X-Forwarded-For': client } });

/** Asks for a page and takes nothing of it. */
function takeNothing(page: Published, client: string): void {
  const { hostname, port } = new URL(perch.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.pause();
  sockets.push(socket);
  const head = [`GET ${shortPath(page)} HTTP/1.1`, 'Host: perch', 'User-Agent: PerchTests/1'];
  socket.write(`${head.join('\r\n')}\r\nX-Forwarded-For: ${client}\r\n\r\n`);
}

test('contents that a client asks for and does not take are bounded, on both paths', async () => {
  const small = await perch.publish('<p>small');
  // Read before, the page is answered on the fast path.
  for (let n = 0; n < 2; n++)
    expect((await (await ask(further, '10.68.0.2')).bytes()).length).toBeGreaterThan(VIEW_BYTES);
  const fast = await fastPathAnswers(perch, 'reads');
  await (await ask(further, '10.68.0.2')).bytes();
  expect(await fastPathAnswers(perch, 'reads')).toBe(fast + 1);

  await eventually(async () => {
    // A look takes the place of one of them, which is asked for again: those under way take no more room.
    for (const page of pages) takeNothing(page, '10.68.0.1');
    const answer = await ask(further, '10.68.0.1');
    await answer.bytes();
    return answer.status === 503;
  });
  await expectError(await ask(further, '10.68.0.1'), 503, 'UNAVAILABLE');
  expect((await ask(further, '10.68.0.1', 'HEAD')).status).toBe(200);
  expect((await ask(small, '10.68.0.1')).status).toBe(200);
  const others = await ask(further, '10.68.0.2');
  expect((await others.bytes()).length).toBeGreaterThan(VIEW_BYTES);
  // Contents that are under way already are there for more readers of the client.
  const statuses: number[] = [];
  for (const page of pages) {
    const answer = await ask(page, '10.68.0.1');
    await answer.bytes();
    statuses.push(answer.status);
  }
  expect(new Set(statuses)).toEqual(new Set([200, 503]));

  for (const socket of sockets.splice(0)) socket.destroy();
  await eventually(async () => (await ask(further, '10.68.0.1')).status === 200);
}, 60_000);
