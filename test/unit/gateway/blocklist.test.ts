import { expect, test } from 'bun:test';
import pino from 'pino';
import { createBlocklist } from '../../../services/gateway/admission/blocklist.ts';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { readBlocklist } from '../../../shared/contracts/blocklist.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';

test('a gateway that could not read the list since its start admits nobody until it has', async () => {
  const log = pino({ level: 'silent' });
  const bus = createInProcessBus({ maxPayloadBytes: 100_000 });
  const list = createBlocklist(bus, log);
  const from = (clientIp: string) =>
    ({ clientIp, request: new Request('http://perch.example/') }) as unknown as RequestContext;
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
