import { describe, expect, test } from 'bun:test';
import type { EventMessage, EventStream } from '../../../shared/ports/event-stream.ts';
import { until } from '../../faults/waiting.ts';

/** The adapter under test: one stream of its own, empty, seen from three processes. */
export interface EventStreamSubject {
  open(): Promise<{ publisher: EventStream; members: [EventStream, EventStream]; close(): Promise<void> }>;
}

const LIMITS = { maxMessages: 20 };

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = ({ bytes }: EventMessage): string => new TextDecoder().decode(bytes);
const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `message ${n}`);

/** The promises of `shared/ports/event-stream.ts`, on one adapter. */
export function eventStreamContract(name: string, subject: EventStreamSubject): void {
  describe(`event stream: ${name}`, () => {
    /** Resources that a test opens are closed at its end, consumers before streams. */
    const PUBLISH_TRIES = 20;
    const openStage = async () => {
      const stack = new AsyncDisposableStack();
      const { publisher, members, close } = await subject.open();
      stack.defer(close);
      return {
        publisher,
        members,
        async consume(
          member: EventStream,
          handler: (messages: EventMessage[]) => Promise<void>,
          limits = LIMITS,
        ) {
          const subscription = await member.consume(limits, handler);
          stack.defer(subscription.drain);
          return subscription;
        },
        /** Published under its own text as id, and again when it was not taken, as gateways do. */
        async publish(text: string) {
          for (let left = PUBLISH_TRIES; ; left -= 1) {
            try {
              return await publisher.publish(text, bytesOf(text));
            } catch (error) {
              if (left === 1) throw error;
              await Bun.sleep(100);
            }
          }
        },
        [Symbol.asyncDispose]: () => stack.disposeAsync(),
      };
    };

    test.concurrent('what is published is handed over once, with its id', async () => {
      await using stage = await openStage();
      const seen: EventMessage[] = [];
      await stage.consume(stage.members[0], async (messages) => {
        seen.push(...messages);
      });
      await stage.publisher.publish('the-id', bytesOf('ä€😀'));
      await stage.publish('next');
      await until('both have come', async () => seen.length >= 2);
      expect(seen.map((message) => [message.id, textOf(message)])).toEqual([
        ['the-id', 'ä€😀'],
        ['next', 'next'],
      ]);
    });

    test.concurrent('what was published before anybody consumed is not lost', async () => {
      await using stage = await openStage();
      const published = Promise.all(numbered(5).map(stage.publish));
      const seen: string[] = [];
      await stage.consume(stage.members[0], async (messages) => {
        seen.push(...messages.map(textOf));
      });
      await until('all have come', async () => seen.length >= 5);
      await published;
      expect(seen.toSorted()).toEqual(numbered(5));
    });

    test.concurrent('the same id twice is one message, also at once and after it was dealt with', async () => {
      await using stage = await openStage();
      const seen: string[] = [];
      await stage.consume(stage.members[0], async (messages) => {
        seen.push(...messages.map(textOf));
      });
      await Promise.all(['twice', 'twice'].map(stage.publish));
      await until('it has come', async () => seen.length > 0);
      await stage.publish('twice');
      await stage.publish('last');
      await until('the last has come', async () => seen.includes('last'));
      expect(seen).toEqual(['twice', 'last']);
    });

    test.concurrent('members share: each message reaches one of them, and all arrive', async () => {
      await using stage = await openStage();
      const seen: Record<string, string[]> = { first: [], second: [] };
      const total = (): number => (seen.first?.length ?? 0) + (seen.second?.length ?? 0);
      for (const [index, member] of stage.members.entries()) {
        await stage.consume(
          member,
          async (messages) => {
            seen[index === 0 ? 'first' : 'second']?.push(...messages.map(textOf));
            await Bun.sleep(5);
          },
          { maxMessages: 2 },
        );
      }
      await Promise.all(numbered(40).map(stage.publish));
      await until('all have come', async () => total() >= 40);
      expect([...(seen.first ?? []), ...(seen.second ?? [])].toSorted()).toEqual(numbered(40).toSorted());
      expect(Math.min(seen.first?.length ?? 0, seen.second?.length ?? 0)).toBeGreaterThan(0);
    });

    test.concurrent.each([1, 2, 3])('never more than %d messages at once', async (maxMessages) => {
      await using stage = await openStage();
      const sizes: number[] = [];
      const handled = Promise.all(numbered(7).map(stage.publish));
      await stage.consume(
        stage.members[0],
        async (messages) => {
          sizes.push(messages.length);
        },
        { maxMessages },
      );
      await until('all have come', async () => sizes.reduce((sum, size) => sum + size, 0) >= 7);
      await handled;
      expect(Math.max(...sizes)).toBeLessThanOrEqual(maxMessages);
      expect(Math.min(...sizes)).toBeGreaterThan(0);
    });

    test.concurrent('a handler that throws gets its messages again, until it is content', async () => {
      await using stage = await openStage();
      const seen: string[] = [];
      let attempts = 0;
      await stage.consume(stage.members[0], async (messages) => {
        attempts += 1;
        if (attempts <= 2) throw new Error('not now');
        seen.push(...messages.map(textOf));
      });
      await Promise.all(numbered(3).map(stage.publish));
      await until('they have come again', async () => seen.length >= 3);
      await stage.publish('next');
      await until('the next has come', async () => seen.includes('next'));
      expect(seen.toSorted()).toEqual([...numbered(3), 'next']);
      expect(attempts).toBeGreaterThan(2);
    });

    test.concurrent('what one member fails at, another may deal with', async () => {
      await using stage = await openStage();
      const seen: string[] = [];
      await stage.consume(stage.members[0], async () => {
        throw new Error('never');
      });
      const published = Promise.all(numbered(3).map(stage.publish));
      await stage.consume(stage.members[1], async (messages) => {
        seen.push(...messages.map(textOf));
      });
      await until('the other had them', async () => seen.length >= 3);
      await published;
      expect(seen.toSorted()).toEqual(numbered(3));
    });

    test.concurrent('one handler call at a time', async () => {
      await using stage = await openStage();
      let underWay = 0;
      let most = 0;
      let handled = 0;
      await stage.consume(
        stage.members[0],
        async (messages) => {
          underWay += 1;
          most = Math.max(most, underWay);
          await Bun.sleep(5);
          underWay -= 1;
          handled += messages.length;
        },
        { maxMessages: 2 },
      );
      await Promise.all(numbered(10).map(stage.publish));
      await until('all are handled', async () => handled >= 10);
      expect(most).toBe(1);
    });

    test.concurrent('drain waits for the handler; what comes later goes to the others', async () => {
      await using stage = await openStage();
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      let ended = false;
      const leaving = await stage.consume(stage.members[0], async () => {
        started.resolve();
        await release.promise;
        ended = true;
      });
      const first = stage.publish('first');
      await started.promise;
      const draining = leaving.drain();
      const late = stage.publish('late');
      expect(ended).toBe(false);
      release.resolve();
      await draining;
      expect(ended).toBe(true);
      await first;
      const seen: string[] = [];
      await stage.consume(stage.members[1], async (messages) => {
        seen.push(...messages.map(textOf));
      });
      await until('the late one has come', async () => seen.length > 0);
      await late;
      expect(seen).toEqual(['late']);
      await leaving.drain();
    });

    test.concurrent('how many messages wait is known until they are dealt with', async () => {
      await using stage = await openStage();
      const release = Promise.withResolvers<void>();
      await stage.consume(stage.members[0], () => release.promise);
      const published = Promise.all(numbered(3).map(stage.publish));
      try {
        await until('all of them wait', async () => (await stage.members[1].waiting()) === 3);
      } finally {
        release.resolve();
      }
      await published;
      await until('none waits', async () => (await stage.members[1].waiting()) === 0);
    });

    test.concurrent('a large message arrives whole', async () => {
      await using stage = await openStage();
      const large = new Uint8Array(2 * 1_048_576).fill(7);
      let size = 0;
      await stage.consume(stage.members[0], async ([message]) => {
        if (message?.bytes.every((byte) => byte === 7)) size = message.bytes.length;
      });
      await stage.publisher.publish('large', large);
      await until('it has come', async () => size > 0);
      expect(size).toBe(large.length);
    });

    test.concurrent('a stream that is up says so, a closed one is UNAVAILABLE', async () => {
      const { publisher, members, close } = await subject.open();
      const { drain } = await members[0].consume(LIMITS, async () => undefined);
      await publisher.publish('first', bytesOf('first'));
      await publisher.check();
      await drain();
      await close();
      await expect(publisher.publish('x', bytesOf('x'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(publisher.check()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      await expect(publisher.waiting()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    });
  });
}
