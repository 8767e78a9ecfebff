import { expect, test } from 'bun:test';
import pino from 'pino';
import { createBlocklist } from '../../../services/gateway/admission/blocklist.ts';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { readBlocklist } from '../../../shared/contracts/blocklist.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { steadyNow } from '../../../shared/deadline.ts';

const log = pino({ level: 'silent' });
const from = (clientIp: string) =>
  ({ clientIp, request: new Request('http://perch.example/') }) as unknown as RequestContext;

test('a gateway that could not read the list since its start admits nobody until it has', async () => {
  const bus = createInProcessBus({ maxPayloadBytes: 100_000 });
  const list = createBlocklist(bus, log);
  try {
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(list.admit(from('203.0.113.7'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    const entries = [{ ip: '203.0.113.0/24', uaPattern: null, expiresAt: null }];
    await serve(bus, 'content', [handler(readBlocklist, async () => ({ revision: 1, entries }))], log);
    await expect(list.admit(from('203.0.113.7'))).rejects.toMatchObject({ code: 'CLIENT_BLOCKED' });
    await list.admit(from('203.0.114.7'));
  } finally {
    list.stop();
    await bus.close();
  }
});

test('the first look has time for a service that has just started; later ones end before the next', async () => {
  const bus = createInProcessBus({ maxPayloadBytes: 100_000 });
  const list = createBlocklist(bus, log);
  const times: number[] = [];
  const look = handler(readBlocklist, async (_, { deadline }) => {
    times.push(deadline - steadyNow());
    return { revision: 1, entries: [] };
  });
  try {
    await serve(bus, 'content', [look], log);
    await list.admit(from('203.0.113.7'));
    await list.refresh();
    const [first = 0, second = 0] = times;
    expect(first).toBeGreaterThan(2_000);
    expect(second).toBeLessThanOrEqual(900);
  } finally {
    list.stop();
    await bus.close();
  }
});
