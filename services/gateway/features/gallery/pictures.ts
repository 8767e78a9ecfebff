import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Elysia } from 'elysia';
import { LRUCache } from 'lru-cache';
import type { GalleryItem } from '../../../../shared/contracts/gallery.ts';
import { PUBLIC_NAMESPACE } from '../../../../shared/items/item.ts';
import type { LiveItemRecord } from '../../../../shared/items/item-record.ts';
import { blobMissing, readBlob } from '../../../../shared/items/read-blob.ts';
import { PerchError } from '../../../../shared/perch-error.ts';
import { limited } from '../../admission/limited.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { isListed } from '../../items/content-headers.ts';
import { findLiveItem } from '../../items/find-live-item.ts';
import { bytes, redirect } from '../../openapi/answers.ts';
import { documented } from '../../openapi/documented.ts';
import { headers } from '../../openapi/headers.ts';
import type { Operation } from '../../openapi/operation.ts';
import { parameters } from '../../openapi/parameters.ts';
import { failures } from '../../openapi/responses.ts';
import type { UploadDependencies } from '../../uploads/dependencies.ts';
import { assetAddress } from '../../web/assets.ts';

/** A picture as a page of the gallery shows it. */
export interface CardPicture {
  readonly address: string;
  readonly width: number;
  readonly height: number;
}

/** The folder of all pictures, for the policy of pages that show them. */
export const PICTURES = '/gallery/pictures/';

/** Pictures that a gateway keeps in memory, in bytes. */
const KEPT_BYTES = 8 * 1_048_576;

const READ_PICTURE: Operation = {
  operationId: 'readGalleryPicture',
  summary: 'A small picture of an item in the gallery',
  description:
    'A WebP of at most 320 by 200, of an image or of the beginning of a page. The pages of the gallery name its address; it is good as long as the item is listed and has the same content, and leads to a general picture afterwards.',
  tags: ['Gallery'],
  security: [],
  parameters: parameters('Id', 'GalleryPictureName'),
  responses: {
    '200': {
      description: 'The picture.',
      headers: headers(['Cache-Control']),
      content: bytes('image/webp', 'A picture', 'RIFF'),
    },
    '302': redirect('To a general picture: there is none at this address, or none any more.'),
    ...failures(['NOT_FOUND'], { page: true }),
  },
  'x-example-requests': [
    { summary: 'What is not there', status: 302, path: { id: 'Ab3dE6gH9k', name: 'no-such-picture.webp' } },
  ],
};

/** Where the picture of an item of the gallery is; `null`: it has none. */
export function pictureOf({ id, source, picture }: GalleryItem, secret: string): CardPicture | null {
  if (picture === null || source === null) return null;
  const { key, width, height } = picture;
  const content = hashOf(source);
  const name = `${key.replace('/', '')}-${content}${signatureOf(secret, id, key, content)}.webp`;
  return { address: `${PICTURES}${encodeURIComponent(id)}/${name}`, width, height };
}

/** Signed, so that items are looked up only for pictures that a page has shown. @param content the hash in the name */
const signatureOf = (secret: string, id: string, key: string, content: string): string =>
  createHmac('sha256', secret)
    .update(`gallery picture of ${id} ${key} ${content}`)
    .digest('base64url')
    .slice(0, 22);

/** Hash that names the blob of which the picture was made; it is another one when the item has other content. */
const hashOf = (source: string): string =>
  createHash('sha256').update(source).digest('base64url').slice(0, 11);

const NAME = /^([a-z0-9]{2})([a-z0-9]{8,64})-([\w-]{11})([\w-]{22})\.webp$/;

/** Pictures of the gallery (specification 13.3). */
export function galleryPictureRoutes(deps: UploadDependencies) {
  const { blobs, config, log } = deps;
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ length }) => length + 512,
    async fetchMethod(key) {
      const picture = await readBlob(blobs, key);
      if (isWhole(picture)) return picture;
      throw blobMissing(key, new Error('it is cut off'));
    },
  });

  const find = async (context: RequestContext, id: string, name: string): Promise<Response> => {
    const [, folder = '', rest = '', content = '', signature = ''] = NAME.exec(name) ?? [];
    if (signature === '') return general();
    const key = `${folder}/${rest}`;
    const right = signatureOf(config.cookieSecret, id, key, content);
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(right))) return general();
    const { record } = await findLiveItem(deps, context, { ns: PUBLIC_NAMESPACE, id });
    const source = sourceOf(record);
    if (source === null || !isListed(record) || hashOf(source) !== content) return general();
    const answered = { 'Cache-Control': 'public, max-age=3600', 'Content-Type': 'image/webp' };
    return new Response(new Uint8Array(await kept.forceFetch(key)), { headers: answered });
  };

  return new Elysia().use(limited(deps)).get(
    '/gallery/pictures/:id/:name',
    async ({ context, params: { id, name } }) => {
      try {
        return await find(context, id, name);
      } catch (error) {
        if (!(error instanceof PerchError)) log.warn({ error }, 'a picture of the gallery cannot be read');
        return general();
      }
    },
    { detail: documented(READ_PICTURE, 'text') },
  );
}

/** A WebP tells at its beginning how many bytes follow the first eight. */
const isWhole = ({ buffer, byteOffset, length }: Uint8Array): boolean =>
  length > 8 && new DataView(buffer, byteOffset).getUint32(4, true) === length - 8;

/** The blob that an item's picture is made of. */
const sourceOf = ({ kind, content }: LiveItemRecord): string | null =>
  (kind === 'html' || kind === 'file') && 'blobKey' in content ? content.blobKey : null;

const general = (): Response =>
  new Response(null, {
    status: 302,
    headers: { Location: assetAddress('no-picture.svg'), 'Cache-Control': 'no-cache' },
  });
