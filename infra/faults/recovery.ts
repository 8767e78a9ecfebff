import { documents, files, htmlPages, markdownPages } from '../load/kinds/items.ts';
import { createTarget, type LoadKind, type Target } from '../load/kinds/kind.ts';
import { sites } from '../load/kinds/sites.ts';
import { stores } from '../load/kinds/stores.ts';
import { type Call, sendCall, statusOf } from '../load/send.ts';
import { until } from '../until.ts';

/** How the names of reads begin that anybody may make. */
const PUBLIC = 'public ';

/** A kind of request, and what makes sure that it succeeds. */
export interface Probe {
  name: string;
  /** Different calls where what is made has to have a name of its own. */
  call(attempt: number): Call;
  status: number;
}

export interface Recovery {
  /** From the call to the first moment from which every kind of request succeeded through every gateway, in ms. */
  ms: number;
  /** The operation that failed longest; empty when none failed once the component was back. */
  slowest: string;
  outage: Outage;
}

/** How long requests of a kind failed at some gateway, in ms: 0 where none did. */
export interface Outage {
  /** Reads of items and keys by their short URLs. */
  reads: number;
  /** Further ones, which ask PostgreSQL: lists, and reads by the owner. */
  lists: number;
  writes: number;
}

/** An operation counts as recovered after this many successes in a row. */
const STREAK = 2;
const PAUSE_MS = 100;
const LIMIT_MS = 60_000;

/**
 * Sends every kind of request through every gateway until all succeed, and have for so many ms; `null`: not within a minute. */
export async function untilRecovered(
  gateways: string[],
  probes: Probe[],
  since: number,
  steadyMs = 0,
): Promise<Recovery | { stuck: string }> {
  const outcomes = await Promise.all(
    gateways.flatMap((gateway) => probes.map((probe) => untilSucceeds(gateway, probe, since, steadyMs))),
  );
  const stuck = outcomes.filter(({ last }) => last !== null);
  if (stuck.length > 0) return { stuck: stuck.map(({ name, last }) => `${name}: ${last}`).join('; ') };
  const [slowest] = outcomes.toSorted((a, b) => b.ms - a.ms);
  const longest = (isMeant: (name: string) => boolean): number =>
    Math.max(0, ...outcomes.filter(({ name, hasFailed }) => hasFailed && isMeant(name)).map(({ ms }) => ms));
  return {
    ms: slowest?.ms ?? 0,
    slowest: slowest?.hasFailed ? slowest.name : '',
    outage: {
      reads: longest((name) => name.startsWith(PUBLIC)),
      lists: longest((name) => name.startsWith('GET ')),
      writes: longest((name) => /^(?:create|change) /.test(name)),
    },
  };
}

async function untilSucceeds(
  gateway: string,
  { name, call, status }: Probe,
  since: number,
  steadyMs: number,
) {
  let ms = 0;
  let streak = 0;
  let hasFailed = false;
  let last: string | null = null;
  const isSteady = (): boolean => streak >= STREAK && performance.now() - since - ms >= steadyMs;
  for (let attempt = 0; !isSteady(); attempt++) {
    const start = performance.now();
    if (start - since > LIMIT_MS) return { name, ms, hasFailed, last: last ?? 'no answer' };
    const seen = await sendCall(gateway, call(attempt));
    if (seen.answered && seen.status === status) {
      if (streak === 0) ms = start - since;
      streak += 1;
    } else {
      streak = 0;
      hasFailed = true;
      last = seen.answered ? `${seen.status} ${seen.text.slice(0, 200)}` : seen.reason;
    }
    await Bun.sleep(PAUSE_MS);
  }
  return { name, ms, hasFailed, last: null };
}

/** Kinds whose probe is a create; that of the others is a change: each way is gone, and no more is written than has to be. */
const CREATED = new Set<LoadKind>([markdownPages, files, stores]);

const KINDS: LoadKind[] = [htmlPages, markdownPages, documents, files, stores, sites];

/**
 * One request of every kind: creates, changes, reads of existing items, lists. The items it makes belong to it alone.
 * @param withPublic also reads of each item by its short URL, which Redis alone can answer
 */
export async function prepareProbes(gateway: string, name: string, withPublic = false): Promise<Probe[]> {
  const ownerToken = `own_probes-of-the-fault-harness-${name}`;
  const targetOf = (id: string): Target => createTarget({ namespace: `probes-${name}`, id, ownerToken });
  let made = 0;
  for (const kind of KINDS) {
    const call = kind.create(targetOf(kind.name), 1, crypto.randomUUID());
    const isMade = async (): Promise<boolean> => statusOf(await sendCall(gateway, call)) === kind.created;
    await until(`there is a ${kind.name} to probe with`, isMade);
  }
  const lists = ['/api/stats', '/api/gallery'].map(
    (path): Probe => ({
      name: `GET ${path}`,
      call: () => ({ method: 'GET', template: path, path }),
      status: 200,
    }),
  );
  const mine = '/api/owner/items?size=1';
  const publicReads = KINDS.flatMap((kind) =>
    kind.reads(targetOf(kind.name)).flatMap(({ call, isShort }): Probe[] => {
      if (!(withPublic && isShort)) return [];
      return [{ name: `${PUBLIC}${call.template} of a ${kind.name}`, call: () => call, status: 200 }];
    }),
  );
  return [
    ...publicReads,
    ...lists,
    {
      name: 'GET /api/owner/items',
      call: () => ({ method: 'GET', template: mine, path: mine, headers: { 'X-Owner-Token': ownerToken } }),
      status: 200,
    },
    ...KINDS.flatMap((kind): Probe[] => {
      const { change } = kind;
      const target = targetOf(kind.name);
      return [
        ...(CREATED.has(kind)
          ? [
              {
                name: `create ${kind.name}`,
                call: () => kind.create(targetOf(`${kind.name}-${++made}`), 1, crypto.randomUUID()),
                status: kind.created,
              },
            ]
          : []),
        ...(change === null || CREATED.has(kind)
          ? []
          : [{ name: `change ${kind.name}`, call: () => change(target, 1), status: 200 }]),
        ...kind
          .reads(target)
          .slice(-1)
          .map(
            ({ call }): Probe => ({
              name: `${call.method} ${call.template} of a ${kind.name}`,
              call: () => call,
              status: 200,
            }),
          ),
      ];
    }),
  ];
}
