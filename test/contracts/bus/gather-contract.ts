import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import type { Bus } from '../../../shared/ports/bus.ts';
import type { BusSubject } from './contract.ts';

const LIMIT = 8_388_608;
const SOON = { timeoutMs: 20_000, gather: true };

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const echo = async (payload: Uint8Array): Promise<Uint8Array> => payload;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Requests that may travel together: whatever travels with them, each is on its own. */
export function busGatherContract(name: string, subject: BusSubject): void {
  describe(`bus, gathered requests: ${name}`, () => {
    let opened: Awaited<ReturnType<BusSubject['open']>>;
    let requester: Bus;
    let members: [Bus, Bus];
    const fresh = (): string => `gathered.${nanoid()}`;
    const ask = (where: string, payload: Uint8Array, timeoutMs = SOON.timeoutMs) =>
      requester.request(where, payload, { timeoutMs, gather: true });

    beforeAll(async () => {
      opened = await subject.open();
      ({ requester, members } = opened);
    });
    afterAll(() => opened.close());

    // 32 go into one message.
    test.each([1, 2, 31, 32, 33, 64, 65, 500])('%d at once each get their own reply', async (count) => {
      const where = fresh();
      for (const member of members) {
        await member.serve(where, 'q', async (payload) => {
          const n = Number(textOf(payload));
          if (n % 3 === 0) await Bun.sleep(n % 7);
          return text(`reply ${n}`);
        });
      }
      const replies = await Promise.all(numbers(count).map((n) => ask(where, text(String(n)))));
      expect(replies.map(textOf)).toEqual(numbers(count).map((n) => `reply ${n}`));
    });

    // Up to 64 KB they may travel together, 256 KB in one message.
    test.each([0, 1, 65_528, 65_535, 65_536, 65_537, 131_072, 300_000])(
      '%d bytes go there and back, among others',
      async (size) => {
        const where = fresh();
        await members[0].serve(where, 'q', echo);
        const sent = numbers(6).map((n) => new Uint8Array(n % 2 === 0 ? size : n).fill(n + 1));
        const replies = await Promise.all(sent.map((payload) => ask(where, payload)));
        expect(replies.map((reply) => [reply.length, Bun.hash(reply)])).toEqual(
          sent.map((payload) => [payload.length, Bun.hash(payload)]),
        );
      },
    );

    test('of several subjects, each goes to its own', async () => {
      const places = await Promise.all(
        numbers(3).map(async (n) => {
          const where = fresh();
          await members[0].serve(where, 'q', async (payload) => text(`${n}: ${textOf(payload)}`));
          return where;
        }),
      );
      const asked = numbers(30).map((n) => ask(places[n % 3] ?? '', text(`${n}`)));
      expect((await Promise.all(asked)).map(textOf)).toEqual(numbers(30).map((n) => `${n % 3}: ${n}`));
    });

    test('one that is slow holds nobody up, and times out alone', async () => {
      const where = fresh();
      const release = Promise.withResolvers<void>();
      await members[0].serve(where, 'q', async (payload) => {
        if (textOf(payload) !== 'quick') await release.promise;
        return payload;
      });
      const [late, slow, ...quick] = [
        ask(where, text('late'), 100),
        ask(where, text('slow')),
        ask(where, text('quick')),
        ask(where, text('quick')),
      ];
      expect((await Promise.all(quick)).map(textOf)).toEqual(['quick', 'quick']);
      await expect(late).rejects.toMatchObject({ code: 'TIMEOUT' });
      release.resolve();
      expect(textOf(await slow)).toBe('slow');
      expect(textOf(await ask(where, text('quick')))).toBe('quick');
    });

    test('requests that are never answered hold up no later ones', async () => {
      const where = fresh();
      const release = Promise.withResolvers<void>();
      for (const member of members) {
        await member.serve(where, 'q', async (payload) => {
          if (textOf(payload) === 'stuck') await release.promise;
          return payload;
        });
      }
      const stuck: Array<Promise<Uint8Array>> = [];
      // Each in a message of its own, more than may be under way before others wait for them.
      for (let n = 0; n < 5; n++) {
        stuck.push(ask(where, text('stuck')));
        await Bun.sleep(10);
      }
      for (let n = 0; n < 3; n++) expect(textOf(await ask(where, text(`${n}`)))).toBe(`${n}`);
      const many = await Promise.all(numbers(100).map((n) => ask(where, text(`${n}`))));
      expect(many.map(textOf)).toEqual(numbers(100).map(String));
      release.resolve();
      expect((await Promise.all(stuck)).map(textOf)).toEqual(stuck.map(() => 'stuck'));
    });

    test('a subject that nobody serves is UNAVAILABLE for each, without waiting for the timeout', async () => {
      const where = fresh();
      const outcomes = await Promise.allSettled(numbers(20).map(() => ask(where, text('x'), 60_000)));
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
      }
    });

    test('a request over the limit fails alone', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', echo);
      const [before, over, after] = await Promise.allSettled([
        ask(where, text('before')),
        ask(where, new Uint8Array(LIMIT + 1)),
        ask(where, text('after')),
      ]);
      expect(over).toMatchObject({ status: 'rejected', reason: expect.any(RangeError) });
      expect(before.status === 'fulfilled' && textOf(before.value)).toBe('before');
      expect(after.status === 'fulfilled' && textOf(after.value)).toBe('after');
    });

    test('replies may have any size up to the limit, and one above it fails alone', async () => {
      const where = fresh();
      // Replies that are ready in one tick travel together as far as they fit.
      const together = Promise.withResolvers<void>();
      const sizes = [
        3,
        LIMIT - 9,
        LIMIT - 8,
        LIMIT - 7,
        LIMIT - 1,
        LIMIT,
        LIMIT + 1,
        0,
        LIMIT / 2,
        LIMIT / 2,
      ];
      let arrived = 0;
      await members[0].serve(where, 'q', async (payload) => {
        if (++arrived === sizes.length) together.resolve();
        await together.promise;
        return new Uint8Array(Number(textOf(payload))).fill(arrived);
      });
      const outcomes = await Promise.allSettled(sizes.map((size) => ask(where, text(String(size)), 60_000)));
      const told = outcomes.map((outcome) =>
        outcome.status === 'fulfilled' ? outcome.value.length : String(outcome.reason.message),
      );
      const refusal = `a message of ${LIMIT + 1} bytes is over the bus limit of ${LIMIT}`;
      expect(told).toEqual(sizes.map((size) => (size > LIMIT ? refusal : size)));
    });

    test('a sender may reuse its buffer, and a receiver write into what it got', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', async (payload) => {
        const told = text(`got ${textOf(payload)}`);
        payload.fill(0);
        return told;
      });
      const buffer = text('first');
      const asked = [ask(where, buffer)];
      buffer.set(text('later'));
      asked.push(ask(where, buffer));
      buffer.fill(0);
      const [first, later] = await Promise.all(asked);
      first?.fill(0);
      expect(later && textOf(later)).toBe('got later');
    });

    test('the requests of many turns are spread over the members', async () => {
      const where = fresh();
      const taken: [number, number] = [0, 0];
      for (const [index, member] of members.entries()) {
        await member.serve(where, 'q', async (payload) => {
          taken[index as 0 | 1]++;
          return payload;
        });
      }
      for (let turn = 0; turn < 50; turn++) await Promise.all([ask(where, text('x')), ask(where, text('y'))]);
      expect(taken[0] + taken[1]).toBe(100);
      expect(Math.min(...taken)).toBeGreaterThan(0);
    });

    test('drain finishes all that is under way', async () => {
      const where = fresh();
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      let arrived = 0;
      const subscription = await members[0].serve(where, 'q', async (payload) => {
        if (++arrived === 5) started.resolve();
        await release.promise;
        return payload;
      });
      const underWay = numbers(5).map((n) => ask(where, text(`${n}`)));
      await started.promise;
      const draining = subscription.drain();
      release.resolve();
      await draining;
      expect((await Promise.all(underWay)).map(textOf)).toEqual(['0', '1', '2', '3', '4']);
    });
  });
}
