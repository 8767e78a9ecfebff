import { call } from '../../../../shared/contracts/call.ts';
import { putEntry } from '../../../../shared/contracts/kv.ts';
import { errors } from '../../../../shared/errors.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { admitChange } from '../../items/authorize.ts';
import type { ItemAddress } from '../../items/find-live-item.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readKvBody, requireValue } from './body.ts';
import { readConditions } from './conditions.ts';
import { issueOfKey } from './key.ts';
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
  context: RequestContext,
  { key, ...address }: KeyAddress,
): Promise<Response> {
  const { owned } = await admitChange(deps, context, 'kv', address);
  const issue = issueOfKey(key);
  if (issue !== null) throw errors.validationFailed([{ field: 'key', message: issue }]);
  const value = requireValue(await readKvBody(context, deps.budget));
  const input = { ...owned, key, ...value, ...readConditions(context.request) };
  const written = await call(deps.bus, putEntry, input, context.callContext);
  return Response.json(writtenEntry(owned, written, deps.config.baseUrl), {
    headers: { ETag: etagOfEntry(written.entry) },
  });
}
