import { createRandom } from '../random.ts';
import { until } from '../until.ts';
import type { WriteOutcome } from './act.ts';
import type { Written } from './audit.ts';
import type { Client } from './client.ts';
import type { Note } from './findings.ts';
import { documents, files, htmlPages, markdownPages } from './kinds/items.ts';
import { createTarget, type LoadKind, shortCall, type Target } from './kinds/kind.ts';
import { sites } from './kinds/sites.ts';
import { keys, stores } from './kinds/stores.ts';
import { statusOf } from './send.ts';
import { type Views, view, write } from './writer.ts';

export interface Traffic {
  /** Resolves when nothing is under way and nothing begins, with what lets it go on. */
  hold(): Promise<() => void>;
  /** Resolves when the writers have begun so many steps, all together, or have ended. */
  afterSteps(count: number): Promise<void>;
  /** How many steps they have begun. */
  begun(): number;
  /** Ends with every request answered. */
  stop(): Promise<Views>;
  /** All there is to audit, with what it must read as. */
  written: Written[];
  ownerToken: string;
  /** The page whose views are counted: it is not read otherwise. */
  hotPage: Written;
  writes: Record<WriteOutcome, number>;
  /** Acknowledged writes by kind. */
  acknowledged: Map<LoadKind, number>;
}

interface TrafficOptions {
  client: Client;
  /** Sets what is written here apart from all else. */
  name: string;
  seed: number;
  note: Note;
  /** Whether caches are never behind. */
  isCalm(): boolean;
  /** Whether each step of a writer is followed by a read through every gateway. */
  readsBack?: boolean;
  /** How many steps each writer makes at the most. */
  steps?: number;
}

/** In a cycle of the harness. */
const STEPS = 100;

/** The kind that each writer writes. */
export const WRITERS: LoadKind[] = [
  ...[htmlPages, htmlPages, markdownPages, documents, files],
  ...[stores, keys, keys, keys, sites],
];

/** Each of a writer's items whose number this divides is in `public`. */
const PUBLIC_EVERY = 3;

/**
 * Begins a mixed load through all gateways: it is bounded in rate and, for each writer, in count. With the same seed each
 * writer does the same things in the same order, as long as they are answered alike.
 */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  const { client, name, seed, note, isCalm, readsBack = false, steps = STEPS } = options;
  const ownerToken = `own_fault-harness-${name}-${crypto.randomUUID()}`;
  const written: Written[] = [];
  const writes: Traffic['writes'] = { acknowledged: 0, refused: 0, unanswered: 0 };
  const acknowledged = new Map<LoadKind, number>(WRITERS.map((kind) => [kind, 0]));
  const state = { stopped: false };
  const gate = createGate();
  const isStopped = (): boolean => state.stopped;
  const counter = createCounter();

  const newTarget = (kind: LoadKind, number: string, place: Partial<Target> = {}): Target => {
    const target = createTarget({
      namespace: name,
      id: `${name}-${kind.name}-${number}`,
      ownerToken,
      ...place,
    });
    written.push({ kind, target });
    return target;
  };
  const prepare = async (kind: LoadKind, number: string): Promise<Target> => {
    const target = newTarget(kind, number);
    const version = target.nextVersion++;
    const change = target.register.begin(version);
    const call = kind.create(target, version, crypto.randomUUID());
    await until(
      `there is a ${kind.name} to begin with`,
      async () => statusOf(await client.send(call, 0)) === 201,
    );
    change.outcome = 'done';
    return target;
  };

  const hotPage = { kind: htmlPages, target: await prepare(htmlPages, 'hot') };
  const store = await prepare(stores, 'hot');
  written.shift();
  const hot = shortCall(hotPage.target, '?raw=true');
  const viewing = client.gateways.map((_, gateway) =>
    view(client, hot, gateway, { isStopped, step: gate.pass }),
  );
  const writing = WRITERS.map((kind, lane) => {
    const random = createRandom(seed + lane * 7_919);
    let made = 0;
    const placeOf = (number: string): Partial<Target> => {
      if (kind === keys) return { namespace: store.namespace, id: store.id, key: `key-${number}` };
      return made % PUBLIC_EVERY === 0 ? { namespace: 'public' } : {};
    };
    return write({
      kind,
      client,
      random,
      note,
      isCalm,
      readsBack,
      steps,
      isStopped,
      async step(act) {
        counter.add();
        await gate.pass(act);
      },
      newTarget() {
        const number = `${lane}-${++made}`;
        return newTarget(kind, number, placeOf(number));
      },
      onWrite: (outcome) => {
        writes[outcome] += 1;
        if (outcome === 'acknowledged') acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + 1);
      },
    });
  });
  return {
    written,
    ownerToken,
    hotPage,
    writes,
    acknowledged,
    hold: gate.close,
    afterSteps: async (count) => void (await Promise.race([counter.reaches(count), Promise.all(writing)])),
    begun: counter.count,
    async stop() {
      state.stopped = true;
      await Promise.all(writing);
      const views = await Promise.all(viewing);
      return {
        counted: views.reduce((sum, { counted }) => sum + counted, 0),
        uncertain: views.reduce((sum, { uncertain }) => sum + uncertain, 0),
      };
    },
  };
}

/** Counts, and wakes those who wait for a number. */
function createCounter() {
  let count = 0;
  const waiting = new Set<{ goal: number; resolve: () => void }>();
  return {
    count: () => count,
    add() {
      count += 1;
      for (const one of waiting) {
        if (one.goal > count) continue;
        waiting.delete(one);
        one.resolve();
      }
    },
    reaches(goal: number): Promise<void> {
      if (count >= goal) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add({ goal, resolve });
      return promise;
    },
  };
}

/** Lets steps pass, or holds them. */
interface Gate {
  /** Takes a step as soon as the gate is open. */
  pass(step: () => Promise<void>): Promise<void>;
  /** Resolves when no step is under way and none begins, with what opens the gate. */
  close(): Promise<() => void>;
}

/** Longer than any step takes, in ms. */
const MAX_STEP_MS = 90_000;

export function createGate(): Gate {
  let opening = Promise.resolve();
  let underWay = 0;
  return {
    async pass(step) {
      await opening;
      underWay += 1;
      await step().finally(() => {
        underWay -= 1;
      });
    },
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      opening = promise;
      await until('nothing is under way', async () => underWay === 0, MAX_STEP_MS);
      return resolve;
    },
  };
}
