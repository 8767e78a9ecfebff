import { documents } from '../load/kinds/documents.ts';
import { files } from '../load/kinds/files.ts';
import { createTarget, type LoadKind, type Target } from '../load/kinds/kind.ts';
import { htmlPages, markdownPages } from '../load/kinds/pages.ts';
import { sites } from '../load/kinds/sites.ts';
import { stores } from '../load/kinds/stores.ts';
import { sendCall, statusOf } from '../load/send.ts';
import { until } from '../until.ts';
import { type Probe, PUBLIC } from './recovery.ts';

/** Of these a create is a probe, of the others a change: each way is gone, and no more is written than has to be. */
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
