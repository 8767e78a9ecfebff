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
 * The bus of one process. It copies every message, limits its size, times out and spreads a queue's requests over
 * its members like the NATS one: code that works on it works on both.
 */
export function createInProcessBus({ maxPayloadBytes }: InProcessBusOptions): Bus {
  const subjects = new Map<string, Map<string, Member[]>>();
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
    async check() {},
    async close() {
      subjects.clear();
    },
  };
}
