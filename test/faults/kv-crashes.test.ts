import { expect, setDefaultTimeout, test } from 'bun:test';
import { type KeyTraffic, startKeyTraffic } from '../../infra/load/key-traffic.ts';
import type { ServiceProcess } from '../../infra/service-process.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { isRefusal, type Seen, send, statusOf } from './client.ts';
import { untilReady } from './waiting.ts';

setDefaultTimeout(120_000);

const perch = useRunning(() => startInstance({ mode: 'distributed', gateways: 2, kvs: 2 }));

const nth = (index: number): ServiceProcess => {
  const service = perch.services.kvs[index];
  if (service === undefined) throw new Error(`there is no kv process ${index}`);
  return service;
};

/** Writes that travelled together with others (`hot-puts/`). */
async function hotPuts(): Promise<number> {
  const metrics = await Promise.all(
    perch.gateways.map(async (url) => await (await fetch(`${url}/metrics`)).text()),
  );
  const counts = metrics.map((text) => Number(/^hot_puts_total\S* (\d+)$/m.exec(text)?.[1] ?? 0));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Strict all along: the cache is there, so at no moment may anybody read what an acknowledged write has replaced. */
async function underTraffic(act: (traffic: KeyTraffic) => Promise<void>): Promise<{ refused: number }> {
  const traffic = await startKeyTraffic({ gateways: perch.gateways });
  await traffic.moreChanges(50);
  await act(traffic);
  await traffic.moreChanges(50);
  await traffic.stop();
  expect(traffic.faults).toEqual([]);
  expect(await hotPuts()).toBeGreaterThan(0);
  for (let read = 0; read < 3; read++) expect(await traffic.missing()).toEqual([]);
  return { refused: traffic.refused() };
}

test('kill -9 of one of two kv processes loses no acknowledged write and shows no older value', async () => {
  await underTraffic(async (traffic) => {
    for (const victim of [nth(0), nth(1)]) {
      await victim.kill();
      await traffic.moreChanges(50);
      await victim.start();
    }
  });
});

test('kill -9 of the only kv process: the same once it is back', async () => {
  const [spare, victim] = [nth(0), nth(1)];
  await spare.stop();
  await underTraffic(async (traffic) => {
    for (let round = 0; round < 2; round++) {
      await victim.kill();
      await victim.start();
      await traffic.moreChanges(50);
    }
  });
  await spare.start();
});

test('kv processes that leave and join under load refuse nothing', async () => {
  const { refused } = await underTraffic(async () => {
    for (const service of [nth(0), nth(1)]) {
      await service.stop();
      await service.start();
    }
  });
  expect(refused).toBe(0);
});

test('kill -9 under creates leaves each store whole or not there', async () => {
  const names = Array.from({ length: 120 }, (_, n) => `created-${n}`);
  const victim = nth(0);
  let acknowledged = 0;
  let acting: Promise<void> | null = null;
  const answers = await Promise.all(
    names.map(async (id, n): Promise<Seen> => {
      const seen = await send(`${perch.gateways[n % 2]}/api/kv?ns=faults&id=${id}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ key: 'k', value: id }),
      });
      if (statusOf(seen) === 201 && ++acknowledged === 20) acting = victim.kill();
      return seen;
    }),
  );
  expect(acting).not.toBeNull();
  await acting;
  await victim.start();
  await untilReady(perch.url);
  for (const [n, id] of names.entries()) {
    const answer = answers[n] ?? { answered: false, reason: 'never sent' };
    if (statusOf(answer) !== 201) expect(isRefusal(answer)).toBe(true);
    for (const base of perch.gateways) {
      const read = await send(`${base}/faults/${id}/k`);
      if (statusOf(answer) === 201 || statusOf(read) !== 404)
        expect(read).toMatchObject({ status: 200, text: id });
    }
  }
});
