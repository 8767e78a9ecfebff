import type { Static } from '@sinclair/typebox';
import type { InputOf } from '../../../../shared/contracts/operation.ts';
import type { createSite, PackedSite } from '../../../../shared/contracts/site.ts';
import { pick } from '../../http/parameters.ts';
import type { Exchange } from '../../http/request-context.ts';
import { collectFaults } from '../../http/validation-issues.ts';
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

/** From a request to what `site` needs to create a site: nothing is stored before all of it is checked. */
export async function readSiteCreate(
  deps: SiteDependencies,
  exchange: Exchange,
  head: CreateHead,
): Promise<Pick<CompleteCreate, 'ownerTokenOf'> & { input: InputOf<typeof createSite> }> {
  const upload = await spoolSiteUpload(deps, exchange);
  try {
    const faults = collectFaults();
    const parameters = parseCreate(exchange, upload.fields, faults);
    faults.throwIfAny();
    const { packed, suggestedTitle, identity } = await store(deps, exchange, upload);
    const passwordHash = await hashPasswordOf(parameters);
    const all = { ...parameters, passwordHash };
    const { input, ownerTokenOf } = completeCreate(deps, exchange, head, all, [
      'site',
      identity,
      packed.entryFile,
    ]);
    return { ownerTokenOf, input: { ...input, packed, suggestedTitle } };
  } finally {
    await upload.remove();
  }
}

/** The same for a new version of a site; all it had before goes. */
export async function readSiteReplacement(
  deps: SiteDependencies,
  exchange: Exchange,
): Promise<Static<typeof PackedSite>> {
  const upload = await spoolSiteUpload(deps, exchange);
  try {
    return (await store(deps, exchange, upload)).packed;
  } finally {
    await upload.remove();
  }
}

async function store(deps: SiteDependencies, exchange: Exchange, upload: SpooledSite) {
  const entry = pick(exchange.query(), upload.fields, ['entry', 'entryFile']);
  const site = await packSite(deps, exchange, upload, typeof entry === 'string' ? entry : null);
  try {
    return await storePackedSite(deps, exchange, site);
  } finally {
    await site.remove();
  }
}
