import { expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { startNats } from '../../infra/servers/nats.ts';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { createNatsBus } from '../../shared/adapters/bus/nats.ts';
import { callToRead } from '../../shared/contracts/call.ts';
import { resolveItem } from '../../shared/contracts/content.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import type { PerchError } from '../../shared/perch-error.ts';
import { START_LIMIT_MS, startOwn } from '../servers.ts';

setDefaultTimeout(60_000);
const log = pino({ level: 'silent' });
const ITEM = { namespace: 'public', id: 'item' };
const soon = () => ({ requestId: 'test', deadline: steadyNow() + 30_000 });

/** Asks a service that fails the first times. */
async function ask(failures: PerchError[]) {
  const bus = createInProcessBus({ maxPayloadBytes: 1_048_576 });
  let asked = 0;
  const operation = handler(resolveItem, async () => {
    const failure = failures[asked++];
    if (failure !== undefined) throw failure;
    return { record: null };
  });
  await serve(bus, 'test', [operation], log);
  const outcome = await callToRead(bus, resolveItem, ITEM, soon()).catch((error: unknown) => error);
  return { outcome, asked };
}

test('what was lost with its answer is asked once more, and no more', async () => {
  const away = errors.unavailable('database');
  expect(await ask([])).toEqual({ outcome: { record: null }, asked: 1 });
  expect(await ask([away])).toEqual({ outcome: { record: null }, asked: 2 });
  expect(await ask([away, away])).toMatchObject({ outcome: { code: 'UNAVAILABLE' }, asked: 2 });
});

test('a refusal, and any other failure, is not asked again', async () => {
  expect(await ask([errors.refused('searches')])).toMatchObject({ asked: 1 });
  expect(await ask([errors.timeout('somewhere')])).toMatchObject({ outcome: { code: 'TIMEOUT' }, asked: 1 });
  expect(await ask([errors.contentNotFound('public', 'item')])).toMatchObject({ asked: 1 });
});

test(
  'a read that is under way when NATS restarts is answered by the next one',
  async () => {
    const server = await startOwn(startNats);
    const connect = (name: string) =>
      createNatsBus({ url: server.url, name, minPayloadBytes: 1_048_576, log });
    const [requester, member] = await Promise.all([connect('requester'), connect('member')]);
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    const operation = handler(resolveItem, async () => {
      asked += 1;
      begun.resolve();
      if (asked === 1) await new Promise(() => undefined);
      return { record: null };
    });
    await serve(member, 'test', [operation], log);
    const reading = callToRead(requester, resolveItem, ITEM, soon());
    await begun.promise;
    await server.kill();
    await server.start();
    expect(await reading).toEqual({ record: null });
    expect(asked).toBe(2);
    await Promise.all([requester.close(), member.close()]);
    await server.end();
  },
  START_LIMIT_MS,
);
