import { expect, setDefaultTimeout, test } from 'bun:test';
import { createTolerantClient } from '../../infra/load/client.ts';
import { startTraffic } from '../../infra/load/traffic.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';

setDefaultTimeout(120_000);

const perch = useRunning(() => startInstance({ mode: 'embedded' }));

const STEPS = 15;
const WRITERS = 10;

/** The requests of each writer, in its order, of a load with this seed; names of the run are left out. */
async function requestsOf(seed: number): Promise<Map<string, string[]>> {
  const name = `replay-${crypto.randomUUID().slice(0, 8)}`;
  const { client, note, faults } = await createTolerantClient([perch.url], { mayBreakOff: false });
  const requests = new Map<string, string[]>();
  const traffic = await startTraffic({
    client: {
      ...client,
      async send(call, gateway) {
        const path = call.path.replaceAll(name, 'NAME');
        // Items have the number of their writer in their names.
        const writer = /-(\d)-\d+/.exec(path)?.[1];
        if (writer !== undefined)
          requests.set(writer, [...(requests.get(writer) ?? []), `${call.method} ${path}`]);
        return await client.send(call, gateway);
      },
    },
    name,
    seed,
    note,
    steps: STEPS,
    isCalm: () => true,
  });
  await traffic.afterSteps(Number.POSITIVE_INFINITY);
  await traffic.stop();
  expect(faults).toEqual([]);
  return requests;
}

test('a load with the seed of another one asks for the same, writer by writer', async () => {
  const [first, again, other] = [await requestsOf(7), await requestsOf(7), await requestsOf(8)];
  expect(first.size).toBe(WRITERS);
  expect([...again].toSorted()).toEqual([...first].toSorted());
  expect([...other].toSorted()).not.toEqual([...first].toSorted());
});
