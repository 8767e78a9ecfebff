import { expect, test } from 'bun:test';
import { connect } from 'node:net';
import { jsonOf, raw } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { sharePerch } from './support/perch.ts';
import { measureGateway } from './support/process-memory.ts';

const perch = sharePerch();

interface Answer {
  id: number;
  result: {
    isError?: boolean;
    content: Array<{ text: string }>;
    structuredContent?: { content: string; isWhole: boolean };
  };
}

const BATCH = 20;
/** Characters of all results together, and the rest of the answer. */
const MAX_CHARACTERS = 16 * 1_048_576 + 65_536;
/** The room of one client, and what waits for the collector. */
const MAX_GROWTH_BYTES = 320 * 1_048_576;

const send = (json: unknown) => perch.request('/mcp', { method: 'POST', json });
const batchOf = (name: string, given: object) =>
  Array.from({ length: BATCH }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: given },
  }));

async function expectBounded(name: string, given: object): Promise<Answer[]> {
  const text = await (await send(batchOf(name, given))).text();
  expect(text.length).toBeLessThan(MAX_CHARACTERS);
  const answers = JSON.parse(text) as Answer[];
  expect(answers.length).toBe(BATCH);
  const [whole, refused] = [answers, answers].map((all, isRefused) =>
    all.filter(({ result }) => (result.isError === true) === (isRefused === 1)),
  );
  expect(refused?.length).toBeGreaterThan(0);
  for (const { result } of refused ?? [])
    expect(JSON.parse(result.content[0]?.text ?? '')).toMatchObject({
      code: 'TOO_LARGE',
      message: expect.stringContaining('fewer at once'),
    });
  return whole ?? [];
}

test('many long pages in one message: as many as have room, and the others say what to do', async () => {
  const page = await perch.publish(raw('\u0001'.repeat(5 * 1_048_576), 'text/plain'));
  const { namespace, id } = page;
  const memory = await measureGateway(perch.instance);
  const [first, ...more] = await expectBounded('get_page', { namespace, id, maxCharacters: 1_000_000 });
  expect(first?.result.structuredContent).toMatchObject({ isWhole: false, characters: 5 * 1_048_576 });
  expect(first?.result.structuredContent?.content).toBe('\u0001'.repeat(1_000_000));
  expect(more).toEqual([]);
  expect(await memory.peakGrowth()).toBeLessThan(MAX_GROWTH_BYTES);
  const [tooMany] = batchOf('get_page', { namespace, id, maxCharacters: 5_242_880 });
  const { result } = await jsonOf<Answer>(await send(tooMany));
  expect(result.content[0]?.text).toContain('maxCharacters');
});

test('many documents of brackets in one message: they are counted by what they become', async () => {
  const body = `[${'{},'.repeat(340_000)}{}]`;
  const document = await perch.request('/api/json', { method: 'POST', ...raw(body, 'application/json') });
  const { namespace, id } = await jsonOf<{ namespace: string; id: string }>(document, 201);
  const memory = await measureGateway(perch.instance);
  const whole = await expectBounded('get_json', { namespace, id });
  expect(whole.length).toBeGreaterThan(0);
  expect(await memory.peakGrowth()).toBeLessThan(MAX_GROWTH_BYTES);
});

test('one document of numbers fits, however long they are written out', async () => {
  const body = `[${'1e20,'.repeat(209_000)}1]`;
  const document = await perch.request('/api/json', { method: 'POST', ...raw(body, 'application/json') });
  const { namespace, id } = await jsonOf<{ namespace: string; id: string }>(document, 201);
  const [one] = batchOf('get_json', { namespace, id });
  expect((await jsonOf<Answer>(await send(one))).result.isError).toBeUndefined();
});

test('twenty short ones fit', async () => {
  const { namespace, id } = await perch.publish('<p>short');
  const given = batchOf('get_page', { namespace, id });
  const answers = await jsonOf<Answer[]>(await send(given));
  expect(answers.map(({ result }) => result.structuredContent?.isWhole)).toEqual(Array(BATCH).fill(true));
});

test('who takes no answers is refused before anything is done, and others are not', async () => {
  const { namespace, id } = await perch.publish(raw('\u0001'.repeat(1_000_000), 'text/plain'));
  const [call] = batchOf('get_page', { namespace, id, maxCharacters: 1_000_000 });
  const from = (client: string) => ({ 'X-Forwarded-For': client, 'User-Agent': 'Agent/1.0' });
  const ask = (client: string) =>
    perch.request('/mcp', { method: 'POST', json: batchOf('get_limits', {})[0], headers: from(client) });
  const { hostname, port } = new URL(perch.url);
  const body = JSON.stringify(call);
  const head = [
    ...['POST /mcp HTTP/1.1', `Host: ${hostname}:${port}`, 'Content-Type: application/json'],
    ...[`Content-Length: ${body.length}`, 'X-Forwarded-For: 10.67.0.1', 'User-Agent: Agent/1.0', '', ''],
  ].join('\r\n');
  const silent = Array.from({ length: 8 }, () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(head + body);
    return socket;
  });
  try {
    await eventually(async () => (await ask('10.67.0.1')).status === 503);
    expect((await ask('10.67.0.2')).status).toBe(200);
  } finally {
    for (const socket of silent) socket.destroy();
  }
  await eventually(async () => (await ask('10.67.0.1')).status === 200);
});
