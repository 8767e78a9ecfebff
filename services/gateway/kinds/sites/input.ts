import type { Static } from '@sinclair/typebox';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { createSite, PackedSite } from '../../../../shared/contracts/site.ts';
import { pick } from '../../http/parameters.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { collectIssues } from '../../http/validation-issues.ts';
import {
  type CompleteCreate,
  type CreateHead,
  completeCreate,
  hashPasswordOf,
  parseCreate,
} from '../../uploads/create-request.ts';
import type { SiteDependencies } from './dependencies.ts';
import { packSite } from './pack-site.ts';
import { type SpooledSite, spoolSiteUpload } from './spool-upload.ts';
import { storePackedSite } from './store-packed-site.ts';

/** From a request to the input of `site.createSite`: nothing is stored before all of it is checked. */
export async function readSiteCreate(
  deps: SiteDependencies,
  context: RequestContext,
  head: CreateHead,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createSite> }> {
  const upload = await spoolSiteUpload(deps, context);
  try {
    const issues = collectIssues();
    const parameters = parseCreate(context, upload.fields, issues);
    issues.throwIfAny();
    const { packed, suggestedTitle, identity } = await store(deps, context, upload);
    const passwordHash = await hashPasswordOf(parameters);
    const all = { ...parameters, passwordHash };
    const { input, ownerTokenOf } = completeCreate(deps, context, head, all, [
      'site',
      identity,
      packed.entryFile,
    ]);
    return { ownerTokenOf, input: { ...input, packed, suggestedTitle } };
  } finally {
    await upload.remove();
  }
}

/** From a request to the files that replace all of a site's. */
export async function readSiteReplacement(
  deps: SiteDependencies,
  context: RequestContext,
): Promise<Static<typeof PackedSite>> {
  const upload = await spoolSiteUpload(deps, context);
  try {
    return (await store(deps, context, upload)).packed;
  } finally {
    await upload.remove();
  }
}

async function store(deps: SiteDependencies, context: RequestContext, upload: SpooledSite) {
  const entry = pick(context.query(), upload.fields, ['entry', 'entryFile']);
  const site = await packSite(deps, context, upload, typeof entry === 'string' ? entry : null);
  try {
    return await storePackedSite(deps, context, site);
  } finally {
    await site.remove();
  }
}
