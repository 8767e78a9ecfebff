import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { nanoid } from 'nanoid';
import { until as untilTrue } from '../../../infra/until.ts';
import type { Bus } from '../../../shared/ports/bus.ts';

/** The adapter under test: buses that reach one another. They may be one and the same. */
export interface BusSubject {
  open(): Promise<{ requester: Bus; members: [Bus, Bus]; close(): Promise<void> }>;
}

const LIMIT = 8_388_608;
const SOON = { timeoutMs: 5_000 };

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const textOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const until = (check: () => boolean): Promise<void> => untilTrue('it is heard', async () => check(), 10_000);
const echo = async (payload: Uint8Array): Promise<Uint8Array> => payload;

/** The promises of `shared/ports/bus.ts`, on one adapter. */
export function busContract(name: string, subject: BusSubject): void {
  describe(`bus: ${name}`, () => {
    let opened: Awaited<ReturnType<BusSubject['open']>>;
    let requester: Bus;
    let members: [Bus, Bus];
    const fresh = (): string => `contract.${nanoid()}`;

    beforeAll(async () => {
      opened = await subject.open();
      ({ requester, members } = opened);
    });
    afterAll(() => opened.close());

    test('a request is answered', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', async (payload) => text(`got ${textOf(payload)}`));
      expect(textOf(await requester.request(where, text('ä€😀'), SOON))).toBe('got ä€😀');
      expect(await requester.request(where, new Uint8Array(0), SOON)).toEqual(text('got '));
    });

    test('an empty reply is a reply', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', async () => new Uint8Array(0));
      expect(await requester.request(where, text('x'), SOON)).toHaveLength(0);
    });

    test('the requests of a queue are spread over its members, each to one of them', async () => {
      const where = fresh();
      const taken: [number, number] = [0, 0];
      for (const [index, member] of members.entries()) {
        await member.serve(where, 'q', async (payload) => {
          taken[index as 0 | 1]++;
          return payload;
        });
      }
      await Promise.all(Array.from({ length: 100 }, () => requester.request(where, text('x'), SOON)));
      expect(taken[0] + taken[1]).toBe(100);
      expect(Math.min(...taken)).toBeGreaterThan(0);
    });

    test('a subject that nobody serves is UNAVAILABLE, without waiting for the timeout', async () => {
      const request = requester.request(fresh(), text('x'), { timeoutMs: 60_000 });
      await expect(request).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });

    test('a handler that is too slow is a TIMEOUT, and its late reply reaches nobody else', async () => {
      const where = fresh();
      const release = Promise.withResolvers<void>();
      await members[0].serve(where, 'q', async (payload) => {
        if (textOf(payload) === 'slow') await release.promise;
        return payload;
      });
      const slow = requester.request(where, text('slow'), { timeoutMs: 100 });
      await expect(slow).rejects.toMatchObject({ code: 'TIMEOUT' });
      const next = requester.request(where, text('next'), SOON);
      release.resolve();
      expect(textOf(await next)).toBe('next');
    });

    test('the limit is 8 MB', () => {
      expect([requester, ...members].map((bus) => bus.maxPayloadBytes)).toEqual([LIMIT, LIMIT, LIMIT]);
    });

    test.each([LIMIT - 1, LIMIT])('%d bytes go there and back', async (size) => {
      const where = fresh();
      await members[0].serve(where, 'q', echo);
      const sent = new Uint8Array(size).fill(7);
      sent[size - 1] = 1;
      const reply = await requester.request(where, sent, { timeoutMs: 20_000 });
      expect(reply).toHaveLength(size);
      expect(Bun.hash(reply)).toBe(Bun.hash(sent));
    });

    test('a request one byte over the limit is a RangeError and reaches nobody', async () => {
      const where = fresh();
      let reached = 0;
      await members[0].serve(where, 'q', async (payload) => {
        reached++;
        return payload;
      });
      const request = requester.request(where, new Uint8Array(LIMIT + 1), SOON);
      await expect(request).rejects.toBeInstanceOf(RangeError);
      expect(textOf(await requester.request(where, text('next'), SOON))).toBe('next');
      expect(reached).toBe(1);
    });

    test('a reply one byte over the limit is a RangeError at the requester, at once', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', async (payload) => new Uint8Array(LIMIT + payload.length));
      const request = requester.request(where, text('x'), { timeoutMs: 60_000 });
      await expect(request).rejects.toThrow(
        new RangeError(`a message of ${LIMIT + 1} bytes is over the bus limit of ${LIMIT}`),
      );
      await expect(request).rejects.toBeInstanceOf(RangeError);
      expect(await requester.request(where, new Uint8Array(0), { timeoutMs: 20_000 })).toHaveLength(LIMIT);
    });

    test('messages are copies: changing one after it was sent or received changes nothing', async () => {
      const where = fresh();
      const kept = text('kept');
      await members[0].serve(where, 'q', async (payload) => {
        if (textOf(payload) === 'again') return kept;
        payload.fill(0);
        return kept;
      });
      const sent = text('sent');
      const first = await requester.request(where, sent, SOON);
      expect(textOf(sent)).toBe('sent');
      first.fill(0);
      expect(textOf(await requester.request(where, text('again'), SOON))).toBe('kept');
    });

    test('a sender may reuse its buffer as soon as it has called', async () => {
      const where = fresh();
      await members[0].serve(where, 'q', echo);
      const buffer = text('first');
      const first = requester.request(where, buffer, SOON);
      buffer.set(text('later'));
      const later = requester.request(where, buffer, SOON);
      buffer.fill(0);
      expect([textOf(await first), textOf(await later)]).toEqual(['first', 'later']);
    });

    test('500 requests at once each get their own reply', async () => {
      const where = fresh();
      for (const member of members) {
        await member.serve(where, 'q', async (payload) => {
          await Bun.sleep(Number(textOf(payload)) % 7);
          return text(`reply ${textOf(payload)}`);
        });
      }
      const replies = await Promise.all(
        Array.from({ length: 500 }, (_, n) => requester.request(where, text(String(n)), SOON)),
      );
      expect(replies.map(textOf)).toEqual(Array.from({ length: 500 }, (_, n) => `reply ${n}`));
    });

    test('drain finishes what is under way and takes nothing new', async () => {
      const where = fresh();
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const subscription = await members[0].serve(where, 'q', async (payload) => {
        started.resolve();
        await release.promise;
        return payload;
      });
      const underWay = requester.request(where, text('under way'), SOON);
      await started.promise;
      let drained = false;
      const draining = subscription.drain().then(() => {
        drained = true;
      });
      await Bun.sleep(50);
      await expect(requester.request(where, text('new'), SOON)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
      });
      expect(drained).toBe(false);
      release.resolve();
      expect(textOf(await underWay)).toBe('under way');
      await draining;
      await subscription.drain();
    });

    test('the other members of a queue take over from one that drained', async () => {
      const where = fresh();
      const leaving = await members[0].serve(where, 'q', async () => text('left'));
      await members[1].serve(where, 'q', async () => text('stayed'));
      await leaving.drain();
      const replies = await Promise.all(
        Array.from({ length: 10 }, () => requester.request(where, text('x'), SOON)),
      );
      expect(new Set(replies.map(textOf))).toEqual(new Set(['stayed']));
    });

    test('what is published is heard by all who listen to that subject, in order', async () => {
      const [where, elsewhere] = [fresh(), fresh()];
      const heard: string[][] = [[], [], []];
      const listening = await Promise.all(
        [requester, ...members].map((bus, n) =>
          bus.listen(where, (payload) => void heard[n]?.push(textOf(payload))),
        ),
      );
      await members[0].listen(elsewhere, () => void heard[0]?.push('elsewhere'));
      const sent = ['ä€😀', '', ...Array.from({ length: 100 }, (_, n) => `${n}`)];
      for (const one of sent) members[0].publish(where, text(one));
      await until(() => heard.every((all) => all.length === sent.length));
      expect(heard).toEqual([sent, sent, sent]);
      // After leaving one hears no more; the others do.
      await listening[1]?.drain();
      await listening[1]?.drain();
      requester.publish(where, text('later'));
      await until(() => heard[0]?.at(-1) === 'later' && heard[2]?.at(-1) === 'later');
      await requester.request(await served(), text('x'), SOON);
      expect(heard[1]?.at(-1)).toBe('99');
    });

    test('a publication that nobody hears, or that is too large, or of a closed bus, is no error', async () => {
      requester.publish(fresh(), text('x'));
      const where = fresh();
      let heard = 0;
      await members[0].listen(where, () => {
        heard += 1;
      });
      requester.publish(where, new Uint8Array(LIMIT + 1));
      requester.publish(where, text('x'));
      await until(() => heard === 1);
      const { requester: closing, close } = await subject.open();
      await close();
      closing.publish(fresh(), text('x'));
    });

    /** A subject that is answered: what was published before is heard by then. */
    async function served(): Promise<string> {
      const where = fresh();
      await members[0].serve(where, 'q', echo);
      return where;
    }

    test('a bus that is up says so', async () => {
      await requester.check();
    });

    test('a closed bus is UNAVAILABLE', async () => {
      const { requester: closing, close } = await subject.open();
      await close();
      await expect(closing.request(fresh(), text('x'), SOON)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
  });
}
