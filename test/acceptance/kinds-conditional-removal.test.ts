import { describe, expect, test } from 'bun:test';
import { type Address, ownedBy, type Published } from './support/client.ts';
import { expectError } from './support/errors.ts';
import { itemPath, KINDS, type KindUnderTest, publishKind, readContent } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Outside of `public` an address can be used again. */
const NAMESPACE = 'guarded-removals';

const publish = (kind: KindUnderTest, text: string) =>
  publishKind(perch, kind, text, { query: { ns: NAMESPACE } });
const readBytes = (kind: KindUnderTest, item: Address, client = perch.last) =>
  readContent(client, kind, item, { query: { raw: true } });
const etagOf = async (kind: KindUnderTest, item: Address, client = perch.last): Promise<string> =>
  (await readBytes(kind, item, client)).headers.get('ETag') ?? '';

/** Gives an address other content: by an update, or where its kind knows none by a removal and a create. */
async function replace(kind: KindUnderTest, item: Published): Promise<Response> {
  const path = itemPath(kind, item);
  const { headers } = ownedBy(item);
  if (kind.change !== null) {
    const { options } = kind.change;
    return await perch.request(path, {
      method: 'PUT',
      ...options,
      headers: { ...options.headers, ...headers },
    });
  }
  await perch.request(path, { method: 'DELETE', headers });
  const again = kind.create('replaced', { headers, query: { ns: item.namespace, id: item.id } });
  return await perch.request(kind.path, { method: 'POST', ...again });
}

/** Statuses of a guarded removal and of what replaces the item at the same moment. */
const RACES: Partial<Record<KindUnderTest['name'], Array<[removed: number, replaced: number]>>> = {
  html: [
    [204, 404],
    [412, 200],
  ],
  json: [
    [204, 404],
    [412, 200],
  ],
  file: [
    [204, 201],
    [404, 201],
    [412, 201],
  ],
};

const ADDRESSES = [
  ['at the address of its kind', itemPath],
  ['at the address of any kind', (_: KindUnderTest, { namespace, id }: Address) => `/api/${namespace}/${id}`],
] as const;

for (const [place, pathOf] of ADDRESSES) {
  /** DELETE under a condition. */
  const removeIf = (kind: KindUnderTest, item: Published, condition: string, client = perch.last) =>
    client.request(pathOf(kind, item), {
      method: 'DELETE',
      headers: { ...ownedBy(item).headers, 'If-Match': condition },
    });

  for (const kind of KINDS) {
    const races = RACES[kind.name];
    if (races === undefined)
      test(`a delete of a ${kind.name}, which has no ETag, looks at no condition ${place}`, async () => {
        const item = await publish(kind, 'x');
        expect((await removeIf(kind, item, '"x"')).status).toBe(204);
      });
    else
      describe(`If-Match of a delete of a ${kind.name} ${place}`, () => {
        test('with the tag, one of several or any lets it through', async () => {
          for (const condition of ['$', ' $ ', '"x", $', 'W/"x" , $', '*']) {
            const item = await publish(kind, 'x');
            const removed = await removeIf(kind, item, condition.replace('$', await etagOf(kind, item)));
            expect([condition, removed.status]).toEqual([condition, 204]);
            await expectError(await readContent(perch, kind, item), 404, 'NOT_FOUND');
          }
        });

        test('with another, a weak or no tag at all stops it with 412, and the item stays', async () => {
          const item = await publish(kind, 'x');
          const old = await etagOf(kind, item);
          expect((await replace(kind, item)).ok).toBe(true);
          const kept = await etagOf(kind, item);
          expect(kept).not.toBe(old);
          for (const condition of [old, '"x"', `"x", ${old}`, `W/${kept}`, kept.slice(1, -1), ''])
            for (const client of perch.clients)
              await expectError(await removeIf(kind, item, condition, client), 412, 'PRECONDITION_FAILED');
          for (const client of perch.clients) expect(await etagOf(kind, item, client)).toBe(kept);
        });

        test('is looked at after the item and its owner', async () => {
          const [item, stranger] = [await publish(kind, 'x'), await publish(kind, 'y')];
          const forged = { ...item, ownerToken: stranger.ownerToken };
          for (const condition of ['*', '"x"']) {
            await expectError(
              await removeIf(kind, { ...item, id: 'never-was' }, condition),
              404,
              'NOT_FOUND',
            );
            await expectError(await removeIf(kind, forged, condition), 403, 'OWNER_TOKEN_WRONG');
          }
        });

        test('never removes what replaces the item at the same moment', async () => {
          for (let round = 0; round < 5; round++) {
            const item = await publish(kind, 'x');
            const etag = await etagOf(kind, item);
            const [removed, replaced] = await Promise.all([removeIf(kind, item, etag), replace(kind, item)]);
            expect(races).toContainEqual([removed.status, replaced.status]);
            if (!replaced.ok) continue;
            const read = await readBytes(kind, item);
            expect(read.status).toBe(200);
            expect(read.headers.get('ETag')).not.toBe(etag);
          }
        });
      });
  }
}
