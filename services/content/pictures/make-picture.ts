import { readBlob } from '../../../shared/items/read-blob.ts';
import { firstText } from '../../../shared/pages/page-description.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import type { PicturedItem } from '../repository/pictures.ts';
import { drawPage } from './draw-page.ts';
import { type Picture, shrink } from './shrink.ts';

/** Bytes of a page that its picture is made of. */
const READ_BYTES = 65_536;

/** Makes the picture of an item; `null`: it can have none. @throws UNAVAILABLE when its content cannot be read now */
export async function makePicture(
  blobs: BlobStore,
  { kind, sizeBytes, content }: PicturedItem,
): Promise<Picture | null> {
  if (kind === 'file') return await shrink(await readBlob(blobs, content.blobKey));
  const key = content.viewKey ?? content.blobKey;
  if (sizeBytes === 0) return null;
  const markup = new TextDecoder().decode((await readBlob(blobs, key)).subarray(0, READ_BYTES));
  const text = firstText(markup, content.format === 'TEXT' ? 'code' : 'p');
  return text === null ? null : await drawPage(text);
}
