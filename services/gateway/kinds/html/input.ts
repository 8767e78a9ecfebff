import type { createHtml } from '../../../../shared/contracts/html.ts';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues, type ValidationIssues } from '../../http/validation-issues.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
  parseCreate,
} from '../../uploads/create-request.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { parseFilename } from '../../uploads/filename.ts';
import { storeBlob } from '../../uploads/store-blob.ts';
import { decideFormat, type PageBody, suggestedTitle } from './body.ts';

/**
 * From a request's body to what `content` needs to create a page: checks everything before a byte is stored. Of
 * parameters in the query and those in the JSON body the query wins (specification 3.1).
 */
export async function readPageCreate(
  deps: UploadDependencies,
  context: RequestContext,
  head: CreateHead,
  body: PageBody,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createHtml> }> {
  const issues = collectIssues();
  const query = context.query();
  const parameters = parseCreate(context, body.fields, issues);
  const kind = decideFormat(body, query, issues);
  const filename = parseFilename(pick(query, body.fields, ['filename']), issues);
  const showTopBar = parseFlag(pick(query, body.fields, ['showTopBar']), 'showTopBar', issues);
  issues.throwIfAny();

  const [blob, passwordHash] = await Promise.all([
    storeBlob(deps.blobs, deps.blobKeys, body.bytes),
    hashPasswordOf(parameters),
  ]);
  const identity = [kind.format, kind.language, kind.contentType, blob.sha256, filename, showTopBar];
  const create = completeCreate(deps, context, head, { ...parameters, passwordHash }, identity);
  return {
    ownerTokenOf: create.ownerTokenOf,
    input: {
      ...{ ...create.input, ...kind, filename, showTopBar, blob },
      ownerKnown: create.ownerKnown,
      suggestedTitle: suggestedTitle(kind.format, body.text),
    },
  };
}

function parseFlag(value: unknown, field: string, issues: ValidationIssues): boolean | null {
  if (value === null) return null;
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  issues.add('VALIDATION_FAILED', field, 'must be true or false.');
  return null;
}
