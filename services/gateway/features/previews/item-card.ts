import type { Kind } from '../../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../../shared/items/item-record.ts';
import { formatSize } from '../../../../shared/pages/format-size.ts';
import { firstText } from '../../../../shared/pages/page-description.ts';
import { drawable } from '../../../../shared/pictures/drawable.ts';
import type { RequestContext } from '../../http/request-context.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import type { Card } from './card.ts';

const KINDS: Record<Kind, string> = {
  html: 'Page',
  json: 'JSON document',
  kv: 'Key-value store',
  file: 'File',
  site: 'Site',
};

/** Bytes of a page, or of a document, that a strip is made of. */
const READ_BYTES = 65_536;

/** The card of an item that everybody may read. */
export async function cardOf(
  deps: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<Card> {
  const { namespace, id, title, tags, kind } = record;
  const name = drawable(title, 1) === '' ? `${namespace}/${id}` : title;
  return { title: name, kind: KINDS[kind], namespace, tags, strip: await stripOf(deps, context, record) };
}

async function stripOf(
  deps: ReadDependencies,
  context: RequestContext,
  record: LiveItemRecord,
): Promise<string> {
  const { sizeBytes } = record;
  if (record.kind === 'html') {
    const { bytes } = await deps.views.page(record, 'view', null, null);
    const view = new TextDecoder().decode(bytes.subarray(0, READ_BYTES));
    return firstText(view, record.content.format === 'TEXT' ? 'code' : 'p') ?? '';
  }
  if (record.kind === 'json') {
    const place = { blobKey: record.content.blobKey, offset: 0, length: sizeBytes };
    const found = await deps.reader.read(place, { start: 0, end: sizeBytes - 1 }, context);
    return found instanceof Uint8Array ? new TextDecoder().decode(found.subarray(0, 1_024)) : '';
  }
  if (record.kind === 'file') return `${record.content.filename} · ${formatSize(sizeBytes)}`;
  if (record.kind === 'site') return `${record.content.fileCount} files · ${formatSize(sizeBytes)}`;
  return formatSize(sizeBytes);
}
