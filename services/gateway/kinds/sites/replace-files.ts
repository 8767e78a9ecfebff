import { call } from '../../../../shared/contracts/call.ts';
import type { InputOf, ReplyOf } from '../../../../shared/contracts/operation.ts';
import { replaceSite } from '../../../../shared/contracts/site.ts';
import type { ItemRecordOf } from '../../../../shared/items/item-record.ts';
import { isBlobMissing } from '../../../../shared/items/read-blob.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { findLive } from '../../items/find-live-item.ts';
import type { SiteDependencies } from './dependencies.ts';
import { foundEntry } from './site-layout.ts';
import type { LaidOutSite, StoredSite } from './store-upload.ts';

type Replacement = Omit<InputOf<typeof replaceSite>, 'packed' | 'suggestedTitle' | 'replacedIndexKey'>;

/**
 * Replaces the files of a site by stored ones. Whether its entry file stays depends on the files that are replaced: when another
 * replacement has come before this one, it is decided anew.
 * @param record by which it was decided first
 */
export async function replaceFiles(
  deps: SiteDependencies,
  context: RequestContext,
  record: ItemRecordOf<'site'>,
  stored: StoredSite,
  replacement: Replacement,
): Promise<ReplyOf<typeof replaceSite>> {
  const { relayoutKeepingEntry } = stored;
  const address = { ns: record.namespace, id: record.id };
  let replaced = record;
  let { packed, suggestedTitle }: LaidOutSite = stored;
  for (;;) {
    const replacedIndexKey =
      relayoutKeepingEntry === null ? {} : { replacedIndexKey: replaced.content.indexKey };
    try {
      const input = { ...replacement, packed, suggestedTitle, ...replacedIndexKey };
      return await call(deps.bus, replaceSite, input, context.callContext);
    } catch (error) {
      if (relayoutKeepingEntry === null || !isOvertaken(error)) throw error;
      const { version } = replaced;
      const isExpected = (newer: { version: number }) => newer.version > version;
      replaced = (await findLive(deps, context, 'site', address, { isExpected })).record;
      ({ packed, suggestedTitle } = await relayoutKeepingEntry(await namedEntryOf(deps, replaced)));
    }
  }
}

const isOvertaken = (error: unknown): boolean =>
  error instanceof PerchError && error.code === 'PRECONDITION_FAILED';

/** The entry file of a site, if its owner named it: any other one it would begin with by itself. */
export async function namedEntryOf(
  { indexes }: SiteDependencies,
  { content: { entryFile, indexKey } }: ItemRecordOf<'site'>,
): Promise<string | null> {
  if (entryFile === 'index.html') return null;
  try {
    const { files } = await indexes.read(indexKey);
    return foundEntry(files) === entryFile ? null : entryFile;
  } catch (error) {
    // Gone with a replacement meanwhile, or lost: a replacement mends such a site.
    if (isBlobMissing(error)) return null;
    throw error;
  }
}
