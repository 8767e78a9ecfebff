import { createBurst } from '../../infra/load/burst.ts';
import { htmlPages, markdownPages } from '../../infra/load/kinds/items.ts';
import type { LoadKind } from '../../infra/load/kinds/kind.ts';
import { untilReady } from './waiting.ts';

/** Writes of pages, sent at once, and what must be true of them afterwards. */
export interface Workload {
  /** Sends all writes at once. Ends when all are settled. */
  run(): Promise<void>;
  /** Reads every page back through the first gateway and compares. */
  verify(): Promise<Verdict>;
}

export interface Verdict {
  sent: number;
  acknowledged: number;
  /** Answered 5xx. */
  refused: number;
  /** Connections that broke. */
  unanswered: number;
  /** Broken promises: an acknowledged write that is lost, content that was never sent, an answer not allowed. */
  faults: string[];
}

export interface WorkloadCounts {
  creates: number;
  /** Pages that are published here first, and replaced twice. */
  updates: number;
  onAcknowledged?(count: number): void;
}

/** Every fifth page is markdown and has a rendered view besides. */
const pageKinds = (count: number): LoadKind[] =>
  Array.from({ length: count }, (_, n) => (n % 5 === 0 ? markdownPages : htmlPages));

export async function prepareWorkload(gateways: string[], counts: WorkloadCounts): Promise<Workload> {
  const burst = await createBurst({ gateways, mayBreakOff: true, ...counts });
  const created = burst.add(pageKinds(counts.creates));
  const updated = burst.add(pageKinds(counts.updates));
  await burst.prepare(updated);
  const anyGateway = (n: number): number => n % gateways.length;
  return {
    async run() {
      const replacing = async (): Promise<void> => {
        for (let round = 0; round < 2; round++) await burst.send(updated, anyGateway);
      };
      await Promise.all([burst.send(created, anyGateway), replacing()]);
    },
    async verify() {
      const faults = await burst.verify([...created, ...updated]);
      const sent = burst.writes.acknowledged + burst.writes.refused + burst.writes.unanswered;
      return { ...burst.writes, sent, faults };
    },
  };
}

/** 100 writes in flight; does something to the cluster once `after` of them are acknowledged, and compares. */
export async function underFire(
  gateways: string[],
  after: number,
  act: () => Promise<void>,
): Promise<Verdict> {
  const acting = Promise.withResolvers<void>();
  let hasBegun = false;
  const workload = await prepareWorkload(gateways, {
    creates: 60,
    updates: 20,
    onAcknowledged(count) {
      if (count !== after) return;
      hasBegun = true;
      act().then(acting.resolve, acting.reject);
    },
  });
  await workload.run();
  if (!hasBegun) throw new Error('too few writes were acknowledged to begin');
  await acting.promise;
  await untilReady(gateways[0] ?? '');
  return await workload.verify();
}
