import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import pino from 'pino';
import { createNatsBus } from '../../../shared/adapters/bus/nats.ts';
import type { Bus, Subscription } from '../../../shared/ports/bus.ts';
import { START_LIMIT_MS, useServers } from '../../servers.ts';

setDefaultTimeout(60_000);
const setting = useServers('NATS_URL');
const log = pino({ level: 'silent' });
const open: Bus[] = [];
let requester: Bus;

async function connect(name: string): Promise<Bus> {
  const bus = await createNatsBus({ url: setting('NATS_URL'), name, minPayloadBytes: 8_388_608, log });
  open.push(bus);
  return bus;
}

beforeAll(async () => {
  requester = await connect('requester');
}, START_LIMIT_MS);
afterAll(() => Promise.all(open.map((bus) => bus.close())));

interface Member {
  bus: Bus;
  subscription: Subscription;
}

/** Each reply is its request; each request is noted by whoever took it. Some take longer than others, as work does. */
async function join(subject: string, taken: string[]): Promise<Member> {
  const bus = await connect('member');
  const subscription = await bus.serve(subject, 'q', async (payload) => {
    taken.push(new TextDecoder().decode(payload));
    if (taken.length % 3 > 0) await Bun.sleep(taken.length % 7);
    return payload;
  });
  return { bus, subscription };
}

/** As a process does it: what is under way is answered, then the connection closes. */
async function leave({ bus, subscription }: Member): Promise<void> {
  await subscription.drain();
  await bus.close();
}

test.each([
  { gather: false, what: 'requests by themselves' },
  { gather: true, what: 'gathered requests' },
])('members that leave and join under load: $what are each answered once', async ({ gather }) => {
  const subject = `drain.${gather}`;
  const taken: string[] = [];
  const answers: string[] = [];
  let changing = true;
  let asked = 0;
  const ask = async (lane: number): Promise<void> => {
    while (changing) {
      // Several in one turn, as gathering wants it.
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const id = `${lane}-${asked++}`;
          const payload = new TextEncoder().encode(id);
          const reply = await requester.request(subject, payload, { timeoutMs: 30_000, gather });
          if (new TextDecoder().decode(reply) === id) answers.push(id);
        }),
      );
    }
  };

  const members = [await join(subject, taken), await join(subject, taken)];
  const load = Promise.all(Array.from({ length: 8 }, (_, lane) => ask(lane)));
  try {
    for (let change = 0; change < 12; change++) {
      const before = answers.length;
      const [leaving] = members.splice(0, 1);
      if (leaving !== undefined) await leave(leaving);
      members.push(await join(subject, taken));
      while (answers.length < before + 100) await Bun.sleep(1);
    }
  } finally {
    changing = false;
  }
  await load;
  expect(answers).toHaveLength(asked);
  expect(taken).toHaveLength(asked);
  expect(new Set(taken).size).toBe(asked);
  await Promise.all(members.map(leave));
});

test('the last member answers what it has, then nobody serves the subject', async () => {
  const taken: string[] = [];
  const only = await join('drain.last', taken);
  const options = { timeoutMs: 30_000, gather: true };
  const requests = Array.from({ length: 40 }, (_, n) =>
    requester.request('drain.last', new TextEncoder().encode(`${n}`), options),
  );
  // Requests under way when the member begins to leave are still its own.
  while (taken.length === 0) await Bun.sleep(1);
  await leave(only);
  expect(await Promise.all(requests)).toHaveLength(40);
  const late = requester.request('drain.last', new Uint8Array(1), options);
  await expect(late).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
