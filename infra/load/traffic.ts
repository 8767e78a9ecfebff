import { createRandom } from '../random.ts';
import { until } from '../until.ts';
import type { WriteOutcome } from './act.ts';
import type { Written } from './audit.ts';
import type { Client } from './client.ts';
import type { Note } from './findings.ts';
import { createGate } from './gate.ts';
import { documents } from './kinds/documents.ts';
import { files } from './kinds/files.ts';
import { createTarget, type LoadKind, shortCall, type Target } from './kinds/kind.ts';
import { htmlPages, markdownPages } from './kinds/pages.ts';
import { sites } from './kinds/sites.ts';
import { keys, stores } from './kinds/stores.ts';
import { statusOf } from './send.ts';
import { type Views, view } from './viewer.ts';
import { write } from './writer.ts';

export interface Traffic {
  /** Resolves when nothing is under way and nothing begins, with what lets it go on. */
  hold(): Promise<() => void>;
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

export interface TrafficOptions {
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

/** One writer each. */
const WRITERS: LoadKind[] = [
  ...[htmlPages, htmlPages, markdownPages, documents, files],
  ...[stores, keys, keys, keys, sites],
];

/** Begins a mixed load through all gateways: it is bounded in rate and, for each writer, in count. */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  const { client, name, seed, note, isCalm, readsBack = false, steps = STEPS } = options;
  const ownerToken = `own_fault-harness-${name}-${crypto.randomUUID()}`;
  const written: Written[] = [];
  const writes: Traffic['writes'] = { acknowledged: 0, refused: 0, unanswered: 0 };
  const acknowledged = new Map<LoadKind, number>(WRITERS.map((kind) => [kind, 0]));
  const state = { stopped: false };
  const gate = createGate();
  const isStopped = (): boolean => state.stopped;
  let made = 0;

  const newTarget = (kind: LoadKind, place: Partial<Target> = {}): Target => {
    const number = ++made;
    const namespace = number % 3 === 0 ? 'public' : name;
    const target = createTarget({ namespace, id: `${name}-${kind.name}-${number}`, ownerToken, ...place });
    written.push({ kind, target });
    return target;
  };
  const prepare = async (kind: LoadKind): Promise<Target> => {
    const target = newTarget(kind);
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

  const hotPage = { kind: htmlPages, target: await prepare(htmlPages) };
  const store = await prepare(stores);
  written.shift();
  const hot = shortCall(hotPage.target, '?raw=true');
  const viewing = client.gateways.map((_, gateway) =>
    view(client, hot, gateway, { isStopped, step: gate.pass }),
  );
  const writing = WRITERS.map((kind, lane) => {
    const random = createRandom(seed + lane * 7_919);
    let key = 0;
    const placeOfKey = (): Partial<Target> => {
      const { namespace, id } = store;
      return { namespace, id, key: `key-${lane}-${++key}` };
    };
    return write({
      ...{ kind, client, random, note, isCalm, readsBack, steps, isStopped, step: gate.pass },
      newTarget: () => newTarget(kind, kind === keys ? placeOfKey() : {}),
      onWrite: (outcome) => {
        writes[outcome] += 1;
        if (outcome === 'acknowledged') acknowledged.set(kind, (acknowledged.get(kind) ?? 0) + 1);
      },
    });
  });
  return {
    ...{ written, ownerToken, hotPage, writes, acknowledged, hold: gate.close },
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
