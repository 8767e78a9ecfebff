import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { Type } from '@sinclair/typebox';
import { nanoid } from 'nanoid';
import pino from 'pino';
import { until } from '../../infra/until.ts';
import { createInProcessBus } from '../../shared/adapters/bus/in-process.ts';
import { createNatsBus } from '../../shared/adapters/bus/nats.ts';
import type { CallContext } from '../../shared/call-context.ts';
import { call, encodeMessage, failureReply, lateReply } from '../../shared/contracts/call.ts';
import { defineOperation } from '../../shared/contracts/operation.ts';
import { handler, serve } from '../../shared/contracts/serve.ts';
import { steadyNow } from '../../shared/deadline.ts';
import { errors } from '../../shared/errors.ts';
import { type ErrorCode, PerchError } from '../../shared/perch-error.ts';
import type { Bus } from '../../shared/ports/bus.ts';
import { soon as later } from '../call-context.ts';
import { useServers } from '../servers.ts';

setDefaultTimeout(60_000);
const EIGHT_MB = 8_388_608;
const setting = useServers('NATS_URL');
let said: string[];
const log = pino({}, { write: (line: string) => void said.push(line) });
beforeEach(() => {
  said = [];
});

const defineDouble = (retry: boolean, timeoutMs = 2_000, writes = false) =>
  defineOperation({
    subject: `contract.${nanoid()}`,
    input: Type.Object({ n: Type.Integer({ minimum: 0 }) }),
    reply: Type.Object({ doubled: Type.Integer() }),
    timeoutMs,
    retry,
    writes,
  });

const soon = (ms = 5_000): CallContext => later(ms);

const buses: Array<[string, () => Promise<Bus>]> = [
  ['in one process', async () => createInProcessBus({ maxPayloadBytes: EIGHT_MB })],
  ['NATS', () => createNatsBus({ url: setting('NATS_URL'), name: 'call', minPayloadBytes: EIGHT_MB, log })],
];

for (const [name, open] of buses) {
  /** Runs `work` on a bus where `perform` serves the operation. */
  const withDouble = async (
    perform: (n: number, context: CallContext) => unknown,
    work: (bus: Bus, double: ReturnType<typeof defineDouble>) => Promise<void>,
    double = defineDouble(false),
  ): Promise<void> => {
    const bus = await open();
    const entry = handler(
      double,
      async ({ n }, context) => (await perform(n, context)) as { doubled: number },
    );
    await serve(bus, 'contract', [entry], log);
    await work(bus, double).finally(() => bus.close());
  };

  test(`${name}: input and context arrive, the reply comes back`, async () => {
    const context = soon();
    let arrived: CallContext | undefined;
    await withDouble(
      (n, given) => {
        arrived = given;
        return { doubled: n * 2 };
      },
      async (bus, double) => {
        expect(await call(bus, double, { n: 21 }, context)).toEqual({ doubled: 42 });
        expect(arrived?.requestId).toBe(context.requestId);
        expect(arrived?.deadline).toBeLessThanOrEqual(context.deadline);
      },
    );
  });

  test(`${name}: an error crosses with code, message, details and retryAfter`, async () => {
    const thrown = new PerchError('VALIDATION_FAILED', 'title: Too long.', {
      details: [{ field: 'title', message: 'Too long.' }],
      retryAfter: 7,
    });
    await withDouble(
      () => Promise.reject(thrown),
      async (bus, double) => {
        const failed = await call(bus, double, { n: 1 }, soon()).catch((error: unknown) => error);
        expect(failed).toBeInstanceOf(PerchError);
        const { code, message, details, retryAfter } = thrown;
        expect(failed).toMatchObject({ code, message, details, retryAfter });
        expect(said).toEqual([]);
      },
    );
  });

  test(`${name}: an unknown error is INTERNAL: logged with the request id, not told`, async () => {
    const context = soon();
    await withDouble(
      () => Promise.reject(new TypeError('password=hunter2')),
      async (bus, double) => {
        const failed = (await call(bus, double, { n: 1 }, context).catch((error: unknown) => error)) as Error;
        expect(failed).toMatchObject({ code: 'INTERNAL', retryAfter: null, details: [] });
        expect(JSON.stringify([failed, failed.message, failed.cause])).not.toContain('hunter2');
        expect(said.join()).toContain(context.requestId);
      },
    );
  });

  test(`${name}: the service learns until when this attempt is waited for, not the request`, async () => {
    const begun = steadyNow();
    let arrived: CallContext | undefined;
    await withDouble(
      (n, context) => {
        arrived = context;
        return { doubled: n * 2 };
      },
      async (bus, double) => {
        await call(bus, double, { n: 1 }, soon(60_000));
        expect(arrived?.deadline).toBeGreaterThanOrEqual(begun + 2_000);
        expect(arrived?.deadline).toBeLessThanOrEqual(steadyNow() + 2_000);
      },
    );
  });

  test(`${name}: what nobody waits for any more is not started`, async () => {
    let started = 0;
    await withDouble(
      (n) => {
        started++;
        return { doubled: n * 2 };
      },
      async (bus, double) => {
        const late = soon(-1);
        await expect(call(bus, double, { n: 1 }, late)).rejects.toMatchObject({ code: 'TIMEOUT' });
        const reply = await bus.request(double.subject, encodeMessage({ ...late, input: { n: 1 } }), {
          timeoutMs: 2_000,
        });
        expect(JSON.parse(new TextDecoder().decode(reply))).toMatchObject({
          ok: false,
          error: { code: 'TIMEOUT' },
        });
        expect(started).toBe(0);
      },
    );
  });

  test(`${name}: a shape that breaks the contract stops at either end, before any work`, async () => {
    let started = 0;
    await withDouble(
      () => {
        started++;
        return { doubled: 'many' };
      },
      async (bus, double) => {
        await expect(call(bus, double, { n: -1 }, soon())).rejects.toMatchObject({ code: 'INTERNAL' });
        expect(said).toEqual([]);
        const wrong = encodeMessage({ ...soon(), input: { n: 'one' } });
        for (const payload of [wrong, new TextEncoder().encode('{no json'), new Uint8Array(0)]) {
          const reply = await bus.request(double.subject, payload, { timeoutMs: 2_000 });
          expect(JSON.parse(new TextDecoder().decode(reply))).toMatchObject({ error: { code: 'INTERNAL' } });
        }
        expect(started).toBe(0);
        await expect(call(bus, double, { n: 1 }, soon())).rejects.toMatchObject({ code: 'INTERNAL' });
        expect(started).toBe(1);
      },
    );
  });

  test(`${name}: of calls that travel together each has its own context, reply and error`, async () => {
    const arrived = new Map<number, CallContext>();
    await withDouble(
      (n, context) => {
        arrived.set(n, context);
        if (n === 3) throw new TypeError('broken');
        if (n === 4) throw errors.keyTaken();
        if (n === 5) return { doubled: 'many' };
        return n === 6 ? new Promise(() => undefined) : { doubled: n * 2 };
      },
      async (bus, double) => {
        // Once the bus is open: each has to arrive in its time.
        const calls = Array.from({ length: 20 }, (_, n) => ({ n, context: soon(n === 6 ? 1_000 : 5_000) }));
        const outcomes = await Promise.allSettled(
          calls.map(({ n, context }) => call(bus, double, { n }, context)),
        );
        const told = outcomes.map((outcome) =>
          outcome.status === 'fulfilled' ? outcome.value.doubled : (outcome.reason as PerchError).code,
        );
        const failures = new Map<number, ErrorCode>([
          [3, 'INTERNAL'],
          [4, 'PRECONDITION_FAILED'],
          [5, 'INTERNAL'],
          [6, 'TIMEOUT'],
        ]);
        expect(told).toEqual(calls.map(({ n }) => failures.get(n) ?? n * 2));
        for (const { n, context } of calls) expect(arrived.get(n)?.requestId).toBe(context.requestId);
      },
      { ...defineDouble(false), gather: true },
    );
  });

  test(`${name}: the caller, too, checks the reply`, async () => {
    const bus = await open();
    const double = defineDouble(false);
    await bus.serve(double.subject, 'q', async () => encodeMessage({ ok: true, value: { doubled: 1.5 } }));
    await expect(call(bus, double, { n: 1 }, soon())).rejects.toMatchObject({ code: 'INTERNAL' });
    await bus.close();
  });

  test.each([true, false])(
    `${name}: a lost reply is asked for once more only when retry is %p`,
    async (retry) => {
      let asked = 0;
      await withDouble(
        (n) => (++asked === 1 ? new Promise(() => undefined) : { doubled: n * 2 }),
        async (bus, double) => {
          const answer = call(bus, double, { n: 4 }, soon(20_000));
          if (retry) expect(await answer).toEqual({ doubled: 8 });
          else await expect(answer).rejects.toMatchObject({ code: 'TIMEOUT' });
          expect(asked).toBe(retry ? 2 : 1);
        },
        defineDouble(retry, 500),
      );
    },
  );

  test(`${name}: it is asked twice at the most, and an answer that says TIMEOUT is an answer`, async () => {
    let asked = 0;
    const never = (): Promise<never> => {
      asked++;
      return new Promise(() => undefined);
    };
    const lost = async (bus: Bus, double: ReturnType<typeof defineDouble>): Promise<void> => {
      await expect(call(bus, double, { n: 1 }, soon(20_000))).rejects.toMatchObject({ code: 'TIMEOUT' });
    };
    await withDouble(never, lost, defineDouble(true, 500));
    expect(asked).toBe(2);
    const late = (): Promise<never> => {
      asked++;
      return Promise.reject(errors.timeout('the database'));
    };
    await withDouble(late, lost, defineDouble(true));
    expect(asked).toBe(3);
  });

  test.each([0, 8_000, -8_000])(
    `${name}: the time left counts, whatever the clock of the sender says (%d ms ahead)`,
    async (ahead) => {
      const left: number[] = [];
      await withDouble(
        (n, { deadline }) => {
          left.push(deadline - steadyNow());
          return { doubled: n * 2 };
        },
        async (bus, double) => {
          const from = nanoid();
          /** As a process on another machine sends it, `ageMs` ago. */
          const ask = async (ageMs: number): Promise<unknown> => {
            const sentAt = steadyNow() + ahead - ageMs;
            const request = { requestId: nanoid(), from, sentAt, deadline: sentAt + 4_000, input: { n: 1 } };
            const reply = await bus.request(double.subject, encodeMessage(request), { timeoutMs: 2_000 });
            return JSON.parse(new TextDecoder().decode(reply));
          };
          await until('its clock is known', async () => ((await ask(0)) as { ok: boolean }).ok);
          left.length = 0;
          expect(await ask(0)).toEqual({ ok: true, value: { doubled: 2 } });
          expect(await ask(1_000)).toEqual({ ok: true, value: { doubled: 2 } });
          expect(await ask(4_500)).toMatchObject({ ok: false, error: { code: 'TIMEOUT', cameLate: true } });
          const [fresh = 0, waited = 0] = left;
          expect(fresh - waited).toBeGreaterThan(900);
          expect(fresh).toBeLessThanOrEqual(4_000);
          expect(fresh).toBeGreaterThan(2_500);
        },
      );
    },
  );

  test(`${name}: what came too late was not begun, so it is sent again, and that is no attempt`, async () => {
    const bus = await open();
    const double = defineDouble(false);
    let asked = 0;
    await bus.serve(double.subject, 'q', async () =>
      encodeMessage(++asked < 4 ? lateReply(double.subject) : { ok: true, value: { doubled: 2 } }),
    );
    expect(await call(bus, double, { n: 1 }, soon())).toEqual({ doubled: 2 });
    expect(asked).toBe(4);
    // Where an attempt is under way when the time is over nobody knows; mostly none is.
    let late: unknown = null;
    for (let n = 0; n < 10 && !(late instanceof PerchError && !late.mayBeDone); n++) {
      asked = -100;
      late = await call(bus, double, { n: 1 }, soon(500)).catch((error: unknown) => error);
      expect(late).toMatchObject({ code: 'TIMEOUT' });
    }
    expect(late).toMatchObject({ mayBeDone: false });
    await bus.close();
  });

  test(`${name}: no second try past the deadline, and none when nobody serves`, async () => {
    let asked = 0;
    const never = (): Promise<never> => {
      asked++;
      return new Promise(() => undefined);
    };
    await withDouble(
      never,
      async (bus, double) => {
        await expect(call(bus, double, { n: 1 }, soon(500))).rejects.toMatchObject({ code: 'TIMEOUT' });
        expect(asked).toBe(1);
        const elsewhere = defineDouble(true);
        await expect(call(bus, elsewhere, { n: 1 }, soon())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      },
      defineDouble(true),
    );
  });
}

/** A bus that loses its connection as often as it is told to, while requests are under way or when they are made. */
function brokenBus(outcomes: Array<'cut off' | 'away' | 'lost' | 'answers' | 'refuses'>): {
  bus: Bus;
  asked: () => number;
} {
  const inner = createInProcessBus({ maxPayloadBytes: EIGHT_MB });
  let asked = 0;
  const refused = failureReply(errors.refused('operations'));
  return {
    asked: () => asked,
    bus: {
      ...inner,
      async request(subject, _payload, { timeoutMs }) {
        const outcome = outcomes[Math.min(asked++, outcomes.length - 1)];
        if (outcome === 'cut off') throw errors.cutOff('message bus');
        if (outcome === 'away') throw errors.unavailable('message bus');
        if (outcome === 'refuses') return encodeMessage(refused);
        if (outcome === 'answers') return encodeMessage({ ok: true, value: { doubled: 2 } });
        await Bun.sleep(timeoutMs);
        throw errors.unanswered(subject);
      },
    },
  };
}

const failureOf = (bus: Bus, double: ReturnType<typeof defineDouble>): Promise<unknown> =>
  call(bus, double, { n: 1 }, soon()).catch((error: unknown) => error);

test('a read under way when the connection is lost fails at once', async () => {
  const { bus, asked } = brokenBus(['cut off', 'answers']);
  expect(await failureOf(bus, defineDouble(true))).toMatchObject({ code: 'UNAVAILABLE' });
  expect(asked()).toBe(1);
});

test('a write under way when the connection is lost is sent again until it is answered', async () => {
  const { bus, asked } = brokenBus(['cut off', 'away', 'away', 'refuses', 'answers']);
  expect(await call(bus, defineDouble(true, 2_000, true), { n: 1 }, soon())).toEqual({ doubled: 2 });
  expect(asked()).toBe(5);
});

test.each([true, false])(
  'no failure of a write is told while it may still be done (retry: %p)',
  async (retry) => {
    const { bus, asked } = brokenBus(['cut off', 'away']);
    const begun = steadyNow();
    const failed = await failureOf(bus, defineDouble(retry, 700, true));
    // Timers may fire a millisecond early.
    expect(steadyNow() - begun).toBeGreaterThanOrEqual(699);
    expect(failed).toMatchObject({ code: 'TIMEOUT', mayBeDone: true, retryAfter: 2 });
    if (!retry) expect(asked()).toBe(1);
  },
);

test('a refusal says nothing of an attempt before it that was not answered', async () => {
  for (const last of ['away', 'refuses'] as const) {
    const { bus } = brokenBus(['lost', last]);
    const failed = await failureOf(bus, defineDouble(true, 300, true));
    expect(failed).toMatchObject({ code: 'TIMEOUT', mayBeDone: true });
  }
  const { bus } = brokenBus(['away', 'answers']);
  expect(await failureOf(bus, defineDouble(true, 300, true))).toMatchObject({
    code: 'UNAVAILABLE',
    mayBeDone: false,
  });
});
