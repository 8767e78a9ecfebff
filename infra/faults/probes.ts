import { until } from '../until.ts';
import { createRegister } from './ledger.ts';
import { documents } from './load/documents.ts';
import { files } from './load/files.ts';
import type { LoadKind, Target } from './load/kind.ts';
import { htmlPages, markdownPages } from './load/pages.ts';
import { sites } from './load/sites.ts';
import { stores } from './load/stores.ts';
import type { Probe } from './recovery.ts';
import { send, statusOf } from './send.ts';

/** Of these a create is a probe, of the others a change: each way is gone, and no more is written than has to be. */
const CREATED = new Set<LoadKind>([markdownPages, files, stores]);

const KINDS: LoadKind[] = [htmlPages, markdownPages, documents, files, stores, sites];

/** One request of every kind: creates, changes, reads of what is there, lists. What they make is nobody else's. */
export async function prepareProbes(gateway: string, name: string): Promise<Probe[]> {
  const ownerToken = `own_probes-of-the-fault-harness-${name}`;
  const targetOf = (id: string): Target => ({
    ...{ namespace: `probes-${name}`, id, key: '', ownerToken, nextVersion: 1 },
    register: createRegister(),
  });
  let made = 0;
  for (const kind of KINDS) {
    const { method, path, headers, body } = kind.create(targetOf(kind.name), 1, crypto.randomUUID());
    const init = { method, ...(headers && { headers }), ...(body === undefined ? {} : { body }) };
    const isMade = async (): Promise<boolean> =>
      statusOf(await send(`${gateway}${path}`, init)) === kind.created;
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
  return [
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
