import type { Node } from '@takumi-rs/core';
import { readBlob } from '../../../shared/items/read-blob.ts';
import { readRendering } from '../../../shared/items/read-rendering.ts';
import { firstText } from '../../../shared/pages/page-description.ts';
import { drawable, loadTextRenderer, type TextRenderer } from '../../../shared/pictures/text-renderer.ts';
import type { BlobStore } from '../../../shared/ports/blob-store.ts';
import type { PicturedItem } from '../repository/pictures.ts';
import { PICTURE, type Picture, shrink } from './shrink.ts';

/** Bytes of a page that its picture is made of. */
const READ_BYTES = 65_536;

/** Makes the picture of an item; `null`: it can have none. @throws UNAVAILABLE when its content cannot be read now */
export async function makePicture(
  blobs: BlobStore,
  { kind, sizeBytes, content }: PicturedItem,
): Promise<Picture | null> {
  const { blobKey, viewKey } = content;
  if (kind === 'file') return await shrink(await readBlob(blobs, blobKey, sizeBytes));
  if (sizeBytes === 0) return null;
  const page = await (viewKey === null ? readBlob(blobs, blobKey, sizeBytes) : readRendering(blobs, viewKey));
  const markup = new TextDecoder().decode(page.subarray(0, READ_BYTES));
  const text = firstText(markup, content.format === 'TEXT' ? 'code' : 'p');
  return text === null ? null : await drawPage(text);
}

/** Characters of a page that its picture has room for. */
const SHOWN = 200;

/** Longest that a drawing may take, in ms. */
const LIMIT_MS = 3_000;

let renderer: Promise<TextRenderer> | null = null;

/** The beginning of a page's text as a picture of a sheet; `null` for one without text that can be drawn. */
export async function drawPage(text: string): Promise<Picture | null> {
  const shown = drawable(text, SHOWN);
  if (shown === '') return null;
  renderer ??= loadTextRenderer();
  const signal = AbortSignal.timeout(LIMIT_MS);
  const png = await (await renderer).render(sheet(shown), { ...PICTURE, format: 'png', signal });
  return await shrink(png);
}

/** White paper on grey; what does not fit is cut off. */
const sheet = (text: string): Node => ({
  type: 'container',
  style: {
    display: 'flex',
    ...PICTURE,
    padding: '18px 26px 0 26px',
    backgroundColor: '#e2e8f0',
    fontFamily: 'Inter',
  },
  children: [
    {
      type: 'container',
      style: {
        display: 'flex',
        flexGrow: 1,
        padding: '20px 22px',
        backgroundColor: '#ffffff',
        overflow: 'hidden',
      },
      children: [
        { type: 'text', text, style: { fontSize: 17, lineHeight: 1.5, color: '#334155', lineClamp: 6 } },
      ],
    },
  ],
});
