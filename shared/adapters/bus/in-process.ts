import { within } from '../../deadline.ts';
import { errors } from '../../errors.ts';
import { assertFits, type Bus, type Subscription } from '../../ports/bus.ts';

export interface InProcessBusOptions {
  maxPayloadBytes: number;
}

type Handler = (payload: Uint8Array) => Promise<Uint8Array>;

interface Member {
  handler: Handler;
  underWay: Set<Promise<unknown>>;
}

/**
 * The bus of one process, which copies every message, limits its size, times out and spreads a queue's requests over its
 * members like the NATS one: code that works on it works on both.
 */
export function createInProcessBus({ maxPayloadBytes }: InProcessBusOptions): Bus {
  const subjects = new Map<string, Map<string, Member[]>>();
  const listeners = new Map<string, Set<(payload: Uint8Array) => void>>();
  let turn = 0;

  const pick = (subject: string): Member => {
    const [members] = subjects.get(subject)?.values() ?? [];
    const member = members?.[turn++ % members.length];
    if (member === undefined) throw errors.unavailable(`nobody serves ${subject}`);
    return member;
  };

  return {
    maxPayloadBytes,
    async request(subject, payload, { timeoutMs }) {
      assertFits(payload, maxPayloadBytes);
      const member = pick(subject);
      const job = member.handler(payload.slice()).then((reply) => {
        assertFits(reply, maxPayloadBytes);
        return reply.slice();
      });
      member.underWay.add(job);
      const settled = job.finally(() => member.underWay.delete(job));
      return await within(settled, timeoutMs, () => errors.unanswered(subject));
    },
    async serve(subject, queue, handler): Promise<Subscription> {
      const queues = subjects.get(subject) ?? new Map<string, Member[]>();
      subjects.set(subject, queues);
      const members = queues.get(queue) ?? [];
      queues.set(queue, members);
      const member: Member = { handler, underWay: new Set() };
      members.push(member);
      return {
        async drain() {
          const index = members.indexOf(member);
          if (index >= 0) members.splice(index, 1);
          if (members.length === 0) queues.delete(queue);
          await Promise.allSettled(member.underWay);
        },
      };
    },
    publish(subject, payload) {
      if (payload.length > maxPayloadBytes) return;
      for (const handler of listeners.get(subject) ?? []) {
        const copy = payload.slice();
        // Not within the publisher's own call, as it would not be between processes.
        setImmediate(() => {
          if (listeners.get(subject)?.has(handler)) handler(copy);
        });
      }
    },
    async listen(subject, handler) {
      const handlers = listeners.get(subject) ?? new Set();
      // A function of its own, so that one handler may listen twice.
      const own = (payload: Uint8Array): void => handler(payload);
      listeners.set(subject, handlers.add(own));
      return {
        async drain() {
          handlers.delete(own);
          if (handlers.size === 0 && listeners.get(subject) === handlers) listeners.delete(subject);
        },
      };
    },
    onReturn() {},
    async check() {},
    async close() {
      subjects.clear();
      listeners.clear();
    },
  };
}
