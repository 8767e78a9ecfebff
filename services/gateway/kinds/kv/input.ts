import { createHash } from 'node:crypto';
import type { createStore } from '../../../../shared/contracts/kv.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { Exchange } from '../../http/request-context.ts';
import { collectFaults } from '../../http/validation-issues.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
  parseCreate,
} from '../../uploads/create-request.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readKvBody, requireValue, VALUE_MISSING } from './body.ts';
import { faultOfKey } from './key.ts';

/** From a request to what `kv` needs to create a store with its first key (specification 5.1). */
export async function readStoreCreate(
  deps: UploadDependencies,
  exchange: Exchange,
  head: CreateHead,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createStore> }> {
  const body = await readKvBody(exchange, deps.budget);
  const faults = collectFaults();
  const parameters = parseCreate(exchange, body.fields, faults);
  const { key } = body.fields;
  const fault = faultOfKey(key);
  if (fault !== null) faults.add('VALIDATION_FAILED', 'key', fault);
  if (body.value === null) faults.add('VALIDATION_FAILED', VALUE_MISSING.field, VALUE_MISSING.message);
  faults.throwIfAny();

  const entry = { key: String(key), ...requireValue(body) };
  const passwordHash = await hashPasswordOf(parameters);
  const identity = ['kv', entry.key, createHash('sha256').update(entry.value).digest('hex')];
  const { input, ownerTokenOf } = completeCreate(
    deps,
    exchange,
    head,
    { ...parameters, passwordHash },
    identity,
  );
  return { ownerTokenOf, input: { ...input, entry } };
}
