import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const publish = async (text: string, options: RequestOptions = {}): Promise<Published> =>
  jsonOf<Published>(
    await perch.request('/api/json', { method: 'POST', ...raw(text, 'application/json', options) }),
    201,
  );
/** The addresses that give a document. */
const addressesOf = ({ namespace, id }: Published) => [`/${namespace}/${id}`, `/api/json/${namespace}/${id}`];
const textOf = async (document: Published) =>
  await (await perch.last.request(`/api/json/public/${document.id}`)).text();
const etagOf = async ({ id }: Published, client = perch.last): Promise<string> =>
  (await client.request(`/api/json/public/${id}`, { method: 'HEAD' })).headers.get('ETag') ?? '';
/** PUT under a condition. */
const putIf = (document: Published, condition: string, text: string, client = perch.last) =>
  client.request(`/api/json/public/${document.id}`, {
    method: 'PUT',
    ...raw(text, 'application/json', {
      headers: { ...ownedBy(document).headers, 'If-Match': condition },
    }),
  });

describe('ETag', () => {
  test('is one strong tag for a document, at both addresses and on every gateway', async () => {
    const document = await publish('{"a":1}');
    for (const client of perch.clients)
      for (const path of addressesOf(document)) {
        const etag = (await client.request(path)).headers.get('ETag');
        expect(etag).toMatch(/^"[^"]+"$/);
        expect(etag).toBe(await etagOf(document));
      }
  });

  test('is another after an update, and the update names it', async () => {
    const document = await publish('1');
    const before = await etagOf(document);
    const updated = await putIf(document, before, '2');
    const after = updated.headers.get('ETag') ?? '';
    expect(updated.status).toBe(200);
    expect(after).not.toBe(before);
    for (const client of perch.clients) expect(await etagOf(document, client)).toBe(after);
  });

  test('of documents that differ in white space only differs', async () => {
    expect(await etagOf(await publish('[1]'))).not.toBe(await etagOf(await publish('[1] ')));
  });
});

describe('If-None-Match', () => {
  test('with the tag, one of several, a weak one or any gives 304 and no body', async () => {
    const document = await publish('{"a":1}');
    const etag = await etagOf(document);
    for (const path of addressesOf(document))
      for (const condition of [etag, `W/${etag}`, `"x", ${etag}`, `"x",W/${etag} , "y"`, '*']) {
        const response = await perch.request(path, { headers: { 'If-None-Match': condition } });
        expect([response.status, await response.text()]).toEqual([304, '']);
        expect(response.headers.get('ETag')).toBe(etag);
        expect(response.headers.get('Cache-Control')).toBe('no-cache');
      }
  });

  test('with another tag, or the tag of what was there before, gives the document', async () => {
    const document = await publish('"old"');
    const old = await etagOf(document);
    await jsonOf(await putIf(document, '*', '"new"'));
    for (const client of perch.clients)
      for (const path of addressesOf(document))
        for (const condition of [old, '"x"', old.slice(1, -1), 'x, y']) {
          const response = await client.request(path, { headers: { 'If-None-Match': condition } });
          expect([response.status, await response.text()]).toEqual([200, '"new"']);
        }
  });

  test('does not get past a password', async () => {
    const document = await publish('1', { headers: { 'X-Password': 'right' } });
    for (const path of addressesOf(document)) {
      const headers = { 'If-None-Match': '*' };
      await expectError(await perch.request(path, { headers }), 403, 'PASSWORD_REQUIRED');
      const opened = await perch.request(path, { headers: { ...headers, 'X-Password': 'right' } });
      expect(opened.status).toBe(304);
    }
  });
});

const WRITES = [
  ['PUT', '/api/json'],
  ['DELETE', '/api/json'],
  ['DELETE', '/api'],
] as const;

for (const [method, path] of WRITES)
  describe(`If-None-Match of a ${method} below ${path}`, () => {
    const changeUnless = ({ id, ownerToken }: Published, condition: string) =>
      perch.request(`${path}/public/${id}`, {
        method,
        ...raw('"lost"', 'application/json', {
          headers: { 'X-Owner-Token': ownerToken, 'If-None-Match': condition },
        }),
      });

    test('stops it: * as the document is there, all else as nobody asks it of a write', async () => {
      const document = await publish('"kept"');
      for (const condition of ['*', ' * '])
        await expectError(await changeUnless(document, condition), 412, 'PRECONDITION_FAILED');
      for (const condition of ['"x"', await etagOf(document), ''])
        await expectError(await changeUnless(document, condition), 400, 'VALIDATION_FAILED', 'If-None-Match');
      expect(await textOf(document)).toBe('"kept"');
    });

    test('is looked at after the document and its owner', async () => {
      const [document, stranger] = [await publish('1'), await publish('2')];
      const forged = { ...document, ownerToken: stranger.ownerToken };
      for (const condition of ['*', '"x"']) {
        await expectError(await changeUnless({ ...document, id: 'never-was' }, condition), 404, 'NOT_FOUND');
        await expectError(await changeUnless(forged, condition), 403, 'OWNER_TOKEN_WRONG');
      }
    });
  });

describe('If-Match', () => {
  test('with the tag, one of several or any lets the update through', async () => {
    const document = await publish('0');
    const conditions = [
      (etag: string) => etag,
      (etag: string) => ` ${etag} `,
      (etag: string) => `"x", ${etag}`,
      (etag: string) => `${etag},"x"`,
      (etag: string) => `W/"x" , ${etag}, "y"`,
      () => '*',
    ];
    for (const [n, condition] of conditions.entries()) {
      const answer = await putIf(document, condition(await etagOf(document)), String(n + 1));
      expect(answer.status).toBe(200);
      expect(await textOf(document)).toBe(String(n + 1));
    }
  });

  test('with another, a weak or no tag at all stops it with 412, and nothing changes', async () => {
    const document = await publish('"old"');
    const old = await etagOf(document);
    const { updatedAt } = await jsonOf(await putIf(document, old, '"kept"'));
    const kept = await etagOf(document);
    const conditions = [
      ...[old, '"x"', `"x", ${old}`, `W/${kept}`, `W/${kept}, W/"x"`, kept.slice(1, -1), 'x'],
      ...[`${kept.slice(0, -1)}`, `"${kept}"`, kept.toUpperCase() === kept ? '"X"' : kept.toUpperCase()],
    ];
    for (const condition of conditions)
      await expectError(await putIf(document, condition, '"lost"'), 412, 'PRECONDITION_FAILED');
    expect(await textOf(document)).toBe('"kept"');
    expect(await etagOf(document)).toBe(kept);
    const list = await perch.request('/api/json', ownedBy(document));
    expect((await jsonOf<Array<Record<string, unknown>>>(list))[0]).toMatchObject({ updatedAt });
  });

  test('is not needed', async () => {
    const document = await publish('1');
    const path = `/api/json/public/${document.id}`;
    const put = await perch.request(path, {
      method: 'PUT',
      ...raw('2', 'application/json', ownedBy(document)),
    });
    expect(put.status).toBe(200);
  });

  test('is looked at after the document and its owner', async () => {
    const [document, stranger] = [await publish('1'), await publish('2')];
    const missing = { ...document, id: 'never-was' };
    for (const condition of ['*', '"x"']) {
      await expectError(await putIf(missing, condition, '2'), 404, 'NOT_FOUND');
      const forged = { ...document, ownerToken: stranger.ownerToken };
      await expectError(await putIf(forged, condition, '2'), 403, 'OWNER_TOKEN_WRONG');
    }
  });

  test('of twenty at once lets exactly one through', async () => {
    const document = await publish('"start"');
    for (let round = 0; round < 3; round++) {
      const etag = await etagOf(document);
      const answers = await atOnce(20, (n) =>
        putIf(document, etag, JSON.stringify([round, n]), n % 2 === 0 ? perch : perch.last),
      );
      expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 412: 19 });
      const winner = answers.findIndex(({ status }) => status === 200);
      for (const client of perch.clients) {
        const path = `/api/json/public/${document.id}`;
        expect(await (await client.request(path)).text()).toBe(JSON.stringify([round, winner]));
        expect(await etagOf(document, client)).toBe(answers[winner]?.headers.get('ETag') ?? '');
      }
    }
  });

  test('keeps what several count up together', async () => {
    const document = await publish('0');
    await atOnce(5, async (n) => {
      const client = n % 2 === 0 ? perch : perch.last;
      for (let added = 0; added < 4; ) {
        const current = await client.request(`/api/json/public/${document.id}`);
        const next = String(Number(await current.text()) + 1);
        const answer = await putIf(document, current.headers.get('ETag') ?? '', next, client);
        if (answer.status === 200) added += 1;
      }
    });
    expect(await textOf(document)).toBe('20');
  });
});
