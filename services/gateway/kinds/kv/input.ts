import { createHash } from 'node:crypto';
import type { createKv } from '../../../../shared/contracts/kv.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
  parseCreate,
} from '../../uploads/create-request.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { readKvBody, requireValue, VALUE_MISSING } from './body.ts';
import { issueOfKey } from './key.ts';

/** From a request to what `kv` needs to create a store with its first key (specification 5.1). */
export async function readStoreCreate(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createKv> }> {
  const body = await readKvBody(context, deps.budget);
  const issues = collectIssues();
  const parameters = parseCreate(context, body.fields, issues);
  const { key } = body.fields;
  const issue = issueOfKey(key);
  if (issue !== null) issues.add('VALIDATION_FAILED', 'key', issue);
  if (body.value === null) issues.add('VALIDATION_FAILED', VALUE_MISSING.field, VALUE_MISSING.message);
  issues.throwIfAny();

  const entry = { key: String(key), ...requireValue(body) };
  const passwordHash = await hashPasswordOf(parameters);
  const identity = ['kv', entry.key, createHash('sha256').update(entry.value).digest('hex')];
  const { input, ownerTokenOf } = completeCreate(
    deps,
    context,
    head,
    { ...parameters, passwordHash },
    identity,
  );
  return { ownerTokenOf, input: { ...input, entry } };
}
