import { expect, test } from 'bun:test';
import { galleryPictureRoutes, pictureOf } from '../../../services/gateway/features/gallery/pictures.ts';
import { RequestContext, runInContext } from '../../../services/gateway/http/request-context.ts';
import type { UploadDependencies } from '../../../services/gateway/uploads/dependencies.ts';
import type { GalleryItem } from '../../../shared/contracts/gallery.ts';
import { errors } from '../../../shared/errors.ts';

const SECRET = 'the secret of a test';
const ID = 'Ab3dE6gH9k';
const SETTINGS = { baseUrl: null, trustProxy: 0, port: 80 };

/** The routes, over a lookup that finds nothing and counts how often it was asked. */
function servePictures() {
  let asked = 0;
  const deps = {
    config: { cookieSecret: SECRET },
    lookup: {
      async find() {
        asked += 1;
        throw errors.contentNotFound('public', ID);
      },
    },
  } as unknown as UploadDependencies;
  const app = galleryPictureRoutes(deps);
  const get = async (path: string): Promise<[status: number, isGeneral: boolean | undefined]> => {
    const request = new Request(`http://perch${path}`);
    const server = { requestIP: () => ({ address: '10.0.0.9', family: 'IPv4' as const, port: 0 }) };
    const context = new RequestContext(request, server, SETTINGS);
    const { status, headers } = await runInContext(context, () => app.handle(request));
    return [status, headers.get('Location')?.startsWith('/assets/no-picture')];
  };
  return { get, asked: () => asked };
}

const shown = (id: string): string => {
  const picture = { key: 'ab/cdefghijklmnop', width: 320, height: 200 };
  const card = pictureOf({ id, source: 'cd/qrstuvwxyzabcd', picture } as GalleryItem, SECRET);
  return card?.address ?? '';
};

test('an item is looked up for a picture that a page has shown, and for no other name', async () => {
  const { get, asked } = servePictures();
  const address = shown(ID);
  const [, name = ''] = /([^/]+)$/.exec(address) ?? [];
  const old = `${name.slice(0, name.indexOf('-'))}-${'A'.repeat(22)}.webp`;
  const madeUp = Array.from({ length: 50 }, (_, n) => shown(`made-up-${n}`).replace(/\/[^/]+$/, `/${name}`));
  const changed = [20, 30, 45].map((at) => {
    const other = name[at] === 'A' ? 'B' : 'A';
    return address.replace(name, `${name.slice(0, at)}${other}${name.slice(at + 1)}`);
  });
  for (const path of [...madeUp, ...changed, address.replace(name, old)])
    expect([path, ...(await get(path))]).toEqual([path, 302, true]);
  expect(asked()).toBe(0);
  expect(await get(address)).toEqual([302, true]);
  expect(asked()).toBe(1);
});
