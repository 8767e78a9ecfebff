import { describe, expect, test } from 'bun:test';
import { codePath, jsonOf, ownedBy, type Published } from './support/client.ts';
import { atOnce, fresh, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import {
  createOf,
  itemPath,
  KINDS,
  type KindUnderTest,
  publishKind,
  readContent,
  readsOf,
} from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const NAMESPACES = ['public', 'addresses'];

describe.each(KINDS)('an id that an item of kind $name has', (kind) => {
  for (const ns of NAMESPACES) {
    test(`is taken for every kind, for its owner as for others (${ns})`, async () => {
      const query = { ns, id: fresh('taken') };
      const item = await publishKind(perch, kind, 'first', { query });
      for (const other of KINDS)
        for (const headers of [{}, ownedBy(item).headers])
          await expectError(await createOf(perch.last, other, 'second', { query, headers }), 409, 'ID_TAKEN');
      for (const client of perch.clients)
        expect(await (await readContent(client, kind, item)).text()).toEndWith(kind.bytesOf('first'));
      const elsewhere = { query: { ns: `${ns}-too`, id: query.id } };
      await publishKind(perch, kind, 'elsewhere', elsewhere);
    });

    test(`is free for every kind once it is deleted, and nothing of it is left (${ns})`, async () => {
      const reuse = async (next: KindUnderTest): Promise<void> => {
        const query = { ns, id: fresh('freed') };
        const first = await publishKind(perch, kind, 'first', { query });
        for (const client of perch.clients) await readContent(client, kind, first);
        const removal = { method: 'DELETE', ...ownedBy(first) };
        expect((await perch.request(itemPath(kind, first), removal)).status).toBe(204);
        expect((await readContent(perch.last, kind, first)).status).toBe(ns === 'public' ? 410 : 404);
        const second = await publishKind(perch.last, next, 'second', { query });
        for (const [n, client] of perch.clients.entries()) {
          const response = await readContent(client, next, second);
          expect(await response.text()).toEndWith(next.bytesOf('second'));
          expect(response.headers.get('X-Views')).toBe(String(n + 1));
          if (next.name !== kind.name)
            await expectError(await client.request(itemPath(kind, first)), 404, 'NOT_FOUND');
          expect((await client.request(codePath(first))).status).toBe(ns === 'public' ? 410 : 404);
          expect((await client.request(codePath(second))).status).toBe(302);
        }
        const stranger = { method: 'DELETE', ...ownedBy(first) };
        await expectError(await perch.request(itemPath(next, second), stranger), 403, 'OWNER_TOKEN_WRONG');
      };
      await Promise.all(KINDS.map(reuse));
    });
  }

  test('is not one to the API of another kind, not even for its owner', async () => {
    const item = await publishKind(perch, kind, 'x');
    const stranger = await publishKind(perch, kind, 'y');
    for (const other of KINDS.filter(({ name }) => name !== kind.name)) {
      const apiReads = readsOf(other, item).filter((path) => path.startsWith('/api/'));
      for (const headers of [{}, ownedBy(item).headers, ownedBy(stranger).headers]) {
        for (const path of apiReads) {
          await expectError(await perch.request(path, { headers }), 404, 'NOT_FOUND');
          expect((await perch.request(path, { method: 'HEAD', headers })).status).toBe(404);
        }
        const removal = { method: 'DELETE', headers };
        await expectError(await perch.request(itemPath(other, item), removal), 404, 'NOT_FOUND');
        if (other.change === null) continue;
        const { at, options } = other.change;
        const put = { method: 'PUT', ...options, headers: { ...options.headers, ...headers } };
        await expectError(await perch.request(`${itemPath(other, item)}${at}`, put), 404, 'NOT_FOUND');
      }
    }
    expect(await (await readContent(perch, kind, item)).text()).toEndWith(kind.bytesOf('x'));
  });
});

test('an id that all kinds want at once is given to one', async () => {
  for (const ns of NAMESPACES)
    for (let round = 0; round < 4; round++) {
      const query = { ns, id: fresh('race') };
      const creates = [...KINDS, ...KINDS];
      const answers = await atOnce(creates.length, async (n) => {
        const kind = creates[n] ?? KINDS[0];
        if (kind === undefined) throw new Error('there are kinds');
        return {
          kind,
          text: `${n}`,
          answer: await createOf(n % 2 ? perch : perch.last, kind, `${n}`, { query }),
        };
      });
      expect(tally(answers.map(({ answer }) => answer.status))).toEqual({ 201: 1, 409: 9 });
      for (const { kind, text, answer } of answers) {
        if (answer.status === 409) await expectError(answer, 409, 'ID_TAKEN');
        else {
          const item = await jsonOf<Published>(answer, 201);
          for (const client of perch.clients)
            expect(await (await readContent(client, kind, item)).text()).toEndWith(kind.bytesOf(text));
        }
      }
    }
});

test('a key of a store that is gone does not come back with the next store of its id', async () => {
  for (const ns of NAMESPACES) {
    const query = { ns, id: fresh('store') };
    const create = (key: string) =>
      perch.request('/api/kv', { method: 'POST', query, json: { key, value: `of ${key}` } });
    const first = await jsonOf<Published>(await create('old'), 201);
    for (const client of perch.clients)
      expect(await (await client.request(`/${ns}/${query.id}/old`)).text()).toBe('of old');
    await perch.request(`/api/kv/${ns}/${query.id}`, { method: 'DELETE', ...ownedBy(first) });
    await jsonOf<Published>(await create('new'), 201);
    for (const client of perch.clients) {
      for (const path of [`/${ns}/${query.id}/old`, `/api/kv/${ns}/${query.id}/old`])
        await expectError(await client.request(path), 404, 'NOT_FOUND');
      expect(await (await client.request(`/${ns}/${query.id}/new`)).text()).toBe('of new');
      const listing = await jsonOf<{ keys: string[] }>(await client.request(`/api/kv/${ns}/${query.id}`));
      expect(listing.keys).toEqual(['new']);
    }
  }
});
