import { errors } from '../../../../shared/errors.ts';
import { LIMITS } from '../../../../shared/items/item.ts';
import { holdFor } from '../../admission/fair-budget.ts';
import { collectGarbageAfter } from '../../admission/memory-budget.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { SiteDependencies } from './dependencies.ts';
import { createSitePacker, type PackedSiteFile } from './packer.ts';
import type { SpooledSite } from './spool-upload.ts';

/** A packed site on the disk. The caller owns it and must remove it. */
export interface TemporarySite extends PackedSiteFile {
  remove(): Promise<void>;
}

/** One file of a site, packed and as it is in its archive, and a buffer for writing. */
const WORKING_BYTES = 3 * LIMITS.siteFileBytes;

/** Unpacks and checks an upload, writing its files back to back. Whatever goes wrong, nothing of it stays. */
export async function packSite(
  { budget, diskBudget, config }: SiteDependencies,
  context: RequestContext,
  upload: SpooledSite,
  entry: string | null,
): Promise<TemporarySite> {
  await using cleanUp = new AsyncDisposableStack();
  const opened = await upload.open();
  cleanUp.defer(() => opened.close());
  const packer = await createSitePacker(`${upload.path}-packed`, { maxBytes: config.siteMaxBytes });
  try {
    // An archive is small beside what it unpacks to.
    await holdFor(context, diskBudget).take(opened.totalBytes);
    const memory = budget.large.open(context.clientKey);
    cleanUp.defer(() => memory.release());
    await memory.take(WORKING_BYTES);
    for await (const { path, bytes } of opened.files()) {
      if (context.request.signal.aborted) throw gone();
      await packer.add(path, bytes);
      collectGarbageAfter(bytes.length);
    }
    const packed = await packer.finish(entry);
    return { ...packed, remove: () => packer.abort() };
  } catch (error) {
    await packer.abort();
    throw error;
  }
}

const gone = () => errors.validationFailed([{ field: 'body', message: 'nobody waits for the answer.' }]);
