import { call } from '../../../../shared/contracts/call.ts';
import { putEntry } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import type { Exchange } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readKvBody, requireValue } from './body.ts';
import { readConditions } from './conditions.ts';
import { faultOfKey } from './key.ts';
import { etagOfEntry, writtenEntry } from './serializer.ts';

/** The parts of a key's path, decoded and unchecked. */
export type KeyAddress = ItemAddress & { key: string };

const PLAIN_KEY_PATH = /^\/api\/kv\/([^/%]+)\/([^/%]+)\/([^/%]+)$/;

/** The key that a path of the API names, when nothing in it has to be decoded. */
export function plainKeyAddress(path: string): KeyAddress | null {
  const [, ns, id, key] = PLAIN_KEY_PATH.exec(path) ?? [];
  return ns === undefined || id === undefined || key === undefined ? null : { ns, id, key };
}

/** PUT /api/kv/{ns}/{id}/{key} (specification 5.4). */
export async function putKey(
  deps: UploadDependencies,
  exchange: Exchange,
  { key, ...address }: KeyAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, exchange, 'kv', address);
  const fault = faultOfKey(key);
  if (fault !== null) throw errors.validationFailed([{ field: 'key', message: fault }]);
  const value = requireValue(await readKvBody(exchange, deps.budget));
  const input = { ...owned, key, ...value, ...readConditions(exchange.request) };
  const written = await call(deps.bus, putEntry, input, exchange.context);
  return Response.json(writtenEntry(owned, written, deps.config.baseUrl), {
    headers: { ETag: etagOfEntry(written.entry) },
  });
}
