import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import { connect, type Socket } from 'node:net';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { openEvents } from '../acceptance/support/event-reader.ts';
import { type Instance, startInstance } from '../instance.ts';
import { createPage, send, statusOf } from './client.ts';
import { createAnswerReader, createKeepAliveClient } from './keep-alive-client.ts';
import { until } from './waiting.ts';

setDefaultTimeout(300_000);

let perch: Instance;
let gateway: ServiceProcess;

beforeAll(async () => {
  // Long enough to look at it on a busy machine, and below the time that the rest of an upload has.
  perch = await startInstance({ mode: 'distributed', env: { DRAIN_SECONDS: '8' } });
  const [first] = perch.services.gateways;
  if (first === undefined) throw new Error('there is no gateway');
  gateway = first;
}, 300_000);
afterAll(() => perch?.stop(), 300_000);

const dial = (): Socket => {
  const { hostname, port } = new URL(perch.url);
  return connect(Number(port), hostname);
};

/** An upload whose last byte is held back. */
async function beginUpload(content: string): Promise<{ end(): Promise<number> }> {
  const socket = dial();
  const reader = createAnswerReader(false);
  const answered = new Promise<number>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the upload was cut off')));
    socket.on('data', (chunk: Buffer) => {
      const answer = reader.take(chunk);
      if (answer !== null) resolve(answer.status);
    });
  });
  answered.catch(() => undefined);
  const head = [
    ...['POST /api/html?ns=leaving&id=slow HTTP/1.1', 'Host: perch', 'User-Agent: PerchTests/1'],
    ...['Content-Type: text/html', `Content-Length: ${content.length}`],
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${content.slice(0, -1)}`);
  const metrics = `${perch.url}/metrics`;
  await until('the upload is under way', async () => {
    const seen = await send(metrics);
    return seen.answered && /^http_requests_under_way\S* 2$/m.test(seen.text);
  });
  return {
    end() {
      socket.write(content.slice(-1));
      return answered;
    },
  };
}

/** A stream of events, and a read that waits, of a new store. */
async function follow() {
  const body = JSON.stringify({ key: 'key', value: 1 });
  const headers = { 'Content-Type': 'application/json' };
  expect(
    statusOf(await send(`${perch.url}/api/kv?ns=leaving&id=store`, { method: 'POST', headers, body })),
  ).toBe(201);
  const url = `${perch.url}/leaving/store/key`;
  const stream = await openEvents(url);
  expect(await stream.next()).toMatchObject({ data: '1' });
  const etag = (await fetch(url, { headers: { 'User-Agent': 'PerchTests/1' } })).headers.get('ETag') ?? '';
  return { stream, waiting: send(`${url}?wait=30`, { headers: { 'If-None-Match': etag } }) };
}

test('it says so at once, answers on, with the last answer on each connection, ends what is under way, then leaves', async () => {
  expect(
    statusOf(await createPage(perch.url, { namespace: 'leaving', id: 'page', content: '<p>here' })),
  ).toBe(201);
  const connections = createKeepAliveClient([perch.url]);
  const ask = (path: string) =>
    connections.send(new Request(`${perch.url}${path}`, { headers: { 'User-Agent': 'PerchTests/1' } }), 0);
  expect((await ask('/leaving/page')).headers.get('connection')).not.toBe('close');
  const upload = await beginUpload('<p>slow, but whole');
  const { stream, waiting } = await follow();

  const stopped = gateway.stop();
  await until('it is not ready', async () => statusOf(await send(`${perch.url}/readyz`)) === 503);
  const ready = await send(`${perch.url}/readyz`);
  expect(ready).toMatchObject({ answered: true, status: 503, retryAfter: '2' });
  expect(JSON.parse(ready.answered ? ready.text : '{}')).toEqual({ status: 'leaving', dependencies: {} });
  // On the connection from before; and on a new one, which a client that has not heard of it opens.
  for (let connection = 0; connection < 2; connection++) {
    const answer = await ask('/leaving/page?raw=true');
    expect(answer).toMatchObject({ status: 200, text: '<p>here' });
    expect(answer.headers.get('connection')).toBe('close');
    connections.comeBack(0);
  }
  expect(statusOf(await send(`${perch.url}/healthz`))).toBe(200);

  // Clients that follow a value are sent to another gateway at once.
  expect(await stream.next()).toBeNull();
  expect(statusOf(await waiting)).toBe(304);
  const late = await openEvents(`${perch.url}/leaving/store/key`);
  expect([await late.next(), await late.next()]).toMatchObject([{ data: '1' }, null]);

  await until('it takes no new connections', async () => !(await send(`${perch.url}/healthz`)).answered);
  expect(gateway.isRunning()).toBe(true);
  expect(await upload.end()).toBe(201);
  await stopped;
  connections.close();

  await gateway.start();
  const seen = await send(`${perch.url}/leaving/slow?raw=true`);
  expect(seen).toMatchObject({ status: 200, text: '<p>slow, but whole' });
});
