import type { ItemRef } from '../../../../shared/items/item.ts';
import { isVisible } from '../../../../shared/items/item-record.ts';
import { heldTag } from '../../http/content-coding.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { cacheControl, FILE_CACHE } from '../../items/content-headers.ts';
import type { ReadDependencies } from '../../items/dependencies.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import { ITEM_ID, type ShortUrl } from '../../items/item-address.ts';
import { createQrPictures, QR_FORMATS, type QrFormat } from './qr-pictures.ts';

export interface QrAddress extends ItemRef {
  format: QrFormat;
}

/** The item whose QR code an address names by its ending, and the form of the picture; `null` for another address. */
export function qrAddress({ namespace, id, sub }: ShortUrl): QrAddress | null {
  if (sub !== null || !(id.endsWith('.qr.svg') || id.endsWith('.qr.png'))) return null;
  return { namespace, id: id.slice(0, -'.qr.svg'.length), format: id.endsWith('svg') ? 'svg' : 'png' };
}

/** Kept for the whole process: a picture depends on its address alone. */
const pictures = createQrPictures();

/**
 * Answers with the QR code of an item's address. The code shows no more than the address, so that nobody is asked for a
 * password. `null`: there is an item of that very id, which goes before.
 * @throws NOT_FOUND, RATE_LIMITED
 */
export async function answerQrCode(
  deps: ReadDependencies,
  context: RequestContext,
  asked: ItemRef,
  { namespace, id, format }: QrAddress,
): Promise<Response | null> {
  deps.limits.refuseKnown(context, 'reads');
  if (ITEM_ID.test(asked.id)) {
    const { record } = await deps.lookup.find(asked, context.callContext);
    if (isVisible(record, deps.clock.now())) return null;
  }
  await deps.limits.admit(context, 'reads');
  const { record, views } = await findLiveItem(deps, context, { ns: namespace, id });
  const url = `${context.baseUrl}/${namespace}/${id}`;
  const etag = `"qr-${Bun.SHA256.hash(url, 'hex').slice(0, 32)}"`;
  const headers = {
    // Without BASE_URL whoever asks first could make the address up.
    ...cacheControl(record, deps.config.baseUrl === null ? 'private, max-age=3600' : FILE_CACHE),
    'Content-Type': QR_FORMATS[format],
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Robots-Tag': 'noindex',
    'X-Views': String(views),
    ETag: etag,
  };
  const held = heldTag(context.request.headers, etag);
  if (held !== null) return new Response(null, { status: 304, headers: { ...headers, ETag: held } });
  return new Response(await pictures.picture(url, format), { headers });
}
