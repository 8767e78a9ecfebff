import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { createSite, replaceSite } from '../../../../shared/contracts/site.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import type { AskedMode } from '../../http/hosts.ts';
import { parseText, pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import { parseCreate, parseTags, parseTtlDays, TTL_NAMES } from '../../uploads/create-parameters.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
} from '../../uploads/create-request.ts';
import { CREATED, siteResult, UPDATED, type UploadResult } from '../../uploads/upload-result.ts';
import type { SiteDependencies } from './dependencies.ts';
import { namedEntryOf } from './replace-files.ts';
import type { SiteConcerns } from './site-concerns.ts';
import { spoolSiteUpload } from './spool-upload.ts';
import { type StoredSite, storeSiteUpload } from './store-upload.ts';

/** Reads a request into the input of `site.createSite`: nothing is stored before all of it is checked. */
export async function readSiteCreate(
  deps: SiteDependencies,
  context: RequestContext,
  head: CreateHead,
): Promise<
  Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createSite>; result: UploadResult }
> {
  const upload = await spoolSiteUpload(deps, context);
  try {
    const issues = collectIssues();
    const parameters = parseCreate(context, upload.fields, issues);
    issues.throwIfAny();
    const { packed, suggestedTitle, identity, concerns } = await storeSiteUpload(deps, context, upload);
    const passwordHash = await hashPasswordOf(deps, context, parameters);
    const all = { ...parameters, passwordHash };
    const { input, ownerTokenOf } = completeCreate(deps, context, head, all, [
      'site',
      identity,
      packed.entryFile,
    ]);
    const result = resultOf(deps, context, CREATED, concerns, all);
    return { ownerTokenOf, input: { ...input, packed, suggestedTitle }, result };
  } finally {
    await upload.remove();
  }
}

type Changes = Pick<InputOf<typeof replaceSite>, 'tags' | 'ttlDays' | 'title'>;

/** Reads a request into the files that replace all of a site's, which it stores, and what else is to change. */
export async function readSiteReplacement(
  deps: SiteDependencies,
  context: RequestContext,
  record: ItemRecordOf<'site'>,
): Promise<{ changes: Changes; stored: StoredSite; result: UploadResult }> {
  // Before a large upload, what the query says.
  parseChanges(context, {});
  const upload = await spoolSiteUpload(deps, context);
  try {
    const changes = parseChanges(context, upload.fields);
    const keptEntry = await namedEntryOf(deps, record);
    const stored = await storeSiteUpload(deps, context, upload, keptEntry);
    const result = resultOf(deps, context, UPDATED, stored.concerns, record);
    return { changes, stored, result };
  } finally {
    await upload.remove();
  }
}

/** Reads those of tags, life and title that the request names. @throws VALIDATION_FAILED, TTL_INVALID */
function parseChanges(context: RequestContext, fields: Record<string, unknown>): Changes {
  const issues = collectIssues();
  const query = context.query();
  const tags = parseTags({ query, body: fields }, issues);
  const ttl = pick(query, fields, TTL_NAMES);
  const ttlDays = ttl === null ? null : parseTtlDays(ttl, issues, true);
  const title = parseText(pick(query, fields, ['title']), 'title', LIMITS.titleCharacters, issues);
  issues.throwIfAny();
  return {
    ...(tags === null ? {} : { tags }),
    ...(ttlDays === null ? {} : { ttlDays }),
    ...(title === null ? {} : { title }),
  };
}

/** Says to who publishes a site what in it does not work where it is served. On a host of its own all of it does. */
function resultOf(
  { config, itemHosts }: SiteDependencies,
  context: RequestContext,
  done: UploadResult,
  concerns: SiteConcerns,
  site: AskedMode & { passwordHash: string | null },
): UploadResult {
  if (itemHosts.modeOf(context, site) === 'subdomain') return done;
  return siteResult(done, concerns, config.contentBaseUrl !== null && site.passwordHash === null);
}
