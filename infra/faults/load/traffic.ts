import { createRandom } from '../../random.ts';
import { until } from '../../until.ts';
import type { Written } from '../audit/targets.ts';
import type { Client } from '../client.ts';
import type { Note } from '../findings.ts';
import { createRegister } from '../ledger.ts';
import { statusOf } from '../send.ts';
import { documents } from './documents.ts';
import { files } from './files.ts';
import { createGate } from './gate.ts';
import { type LoadKind, shortCall, type Target } from './kind.ts';
import { htmlPages, markdownPages } from './pages.ts';
import { sites } from './sites.ts';
import { keys, stores } from './stores.ts';
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
}

type WriteOutcome = 'acknowledged' | 'refused' | 'unanswered';

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
}

/** One writer each. */
const WRITERS: LoadKind[] = [
  ...[htmlPages, htmlPages, markdownPages, documents, files],
  ...[stores, keys, keys, keys, sites],
];

/** Begins a mixed load through all gateways: it is bounded in rate and, for each writer, in count. */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  const { client, name, seed, note, isCalm, readsBack = false } = options;
  const ownerToken = `own_fault-harness-${name}-${crypto.randomUUID()}`;
  const written: Written[] = [];
  const writes: Traffic['writes'] = { acknowledged: 0, refused: 0, unanswered: 0 };
  const state = { stopped: false };
  const gate = createGate();
  const isStopped = (): boolean => state.stopped;
  let made = 0;

  const newTarget = (kind: LoadKind, place: Partial<Target> = {}): Target => {
    const number = ++made;
    const target: Target = {
      namespace: number % 3 === 0 ? 'public' : name,
      ...{ id: `${name}-${kind.name}-${number}`, key: '', ownerToken, nextVersion: 1 },
      register: createRegister(),
      ...place,
    };
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
      ...{ kind, client, random, note, isCalm, readsBack, isStopped, step: gate.pass },
      newTarget: () => newTarget(kind, kind === keys ? placeOfKey() : {}),
      onWrite: (outcome) => {
        writes[outcome] += 1;
      },
    });
  });
  return {
    ...{ written, ownerToken, hotPage, writes, hold: gate.close },
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
