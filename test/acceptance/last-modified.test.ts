import { beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../hostile/bytes.ts';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { fileApiPath, publishFile } from './support/file-client.ts';
import { KINDS, publishKind } from './support/kinds.ts';
import { sharePerch } from './support/perch.ts';
import { publishSite, siteApiPath } from './support/site-client.ts';

const perch = sharePerch();

const dateOf = ({ headers }: Response): string | null => headers.get('Last-Modified');
const asDate = (ms: number): string => new Date(ms).toUTCString();
const secondOf = (instant: string): number => Math.floor(Date.parse(instant) / 1_000) * 1_000;

/** The answer at an address as soon as it tells the date of its content. */
async function dated(path: string, options: RequestOptions = {}): Promise<Response> {
  let answer = await perch.request(path, options);
  await eventually(async () => {
    if (dateOf(answer) !== null) return true;
    await answer.body?.cancel();
    answer = await perch.request(path, options);
    return false;
  });
  return answer;
}

const long = 'A line of text. '.repeat(200);

/** Addresses of content, with the second in which it was made, or at least the earliest and the latest one. */
const addresses = new Map<string, [earliest: number, latest: number]>();
const withoutDate: string[] = [];

beforeAll(async () => {
  for (const kind of KINDS) {
    const before = Date.now();
    const item = await publishKind(perch, kind, long);
    const seconds: [number, number] = [secondOf(new Date(before).toISOString()), Date.now()];
    addresses.set(`${shortPath(item)}${kind.content.short}`, seconds);
    addresses.set(`${kind.path}${shortPath(item)}${kind.content.api}`, seconds);
  }
  const before = Date.now();
  const site = await publishSite(perch, { 'index.html': '<p>entry', '404.html': '<p>none' });
  addresses.set(`${siteApiPath(site)}/archive`, [secondOf(new Date(before).toISOString()), Date.now()]);
  const barred = await perch.publish(raw('<p>x', 'text/html', { query: { showTopBar: true } }));
  const store = await jsonOf<Published>(
    await perch.request('/api/kv', { method: 'POST', json: { key: 'a', value: 1 } }),
    201,
  );
  withoutDate.push(shortPath(barred), shortPath(store), `${shortPath(site)}/nothing.html`);
});

describe('Last-Modified', () => {
  test('is the second of the last change of every kind of content, for GET and HEAD', async () => {
    for (const [path, [earliest, latest]] of addresses) {
      const answer = await dated(path);
      const date = dateOf(answer) ?? '';
      expect([path, answer.status]).toEqual([path, 200]);
      expect(asDate(Date.parse(date))).toBe(date);
      expect(Date.parse(date)).toBeGreaterThanOrEqual(earliest);
      expect(Date.parse(date)).toBeLessThanOrEqual(latest);
      // A date is told only when its second is over.
      expect(Date.parse(answer.headers.get('Date') ?? '')).toBeGreaterThan(Date.parse(date));
      const head = await perch.request(path, { method: 'HEAD' });
      expect([path, dateOf(head)]).toEqual([path, date]);
    }
  });

  test('of a page is that of its updatedAt, and not changed by a renewal', async () => {
    const page = await perch.publish('<p>first');
    const settings = async () =>
      await jsonOf<{ updatedAt: string }>(
        await perch.request(`/api/html${shortPath(page)}/settings`, ownedBy(page)),
      );
    await dated(shortPath(page));
    await jsonOf(await perch.api(page, { method: 'PUT', ...raw('<p>second', 'text/html', ownedBy(page)) }));
    const { updatedAt } = await settings();
    const date = dateOf(await dated(shortPath(page)));
    expect(date).toBe(asDate(secondOf(updatedAt)));
    const renewed = await perch.request(`/api${shortPath(page)}/renew`, {
      method: 'POST',
      json: { ttlDays: 9 },
      ...ownedBy(page),
    });
    expect(renewed.status).toBe(200);
    expect(dateOf(await dated(shortPath(page)))).toBe(date);
  });

  test('is not on what a renewal changes, nor on lists and error pages', async () => {
    await Promise.all([...addresses.keys()].map((path) => dated(path)));
    for (const path of withoutDate) {
      const answer = await perch.request(path, {
        headers: { 'If-Modified-Since': asDate(Date.now() + 1e9) },
      });
      expect([path, dateOf(answer)]).toEqual([path, null]);
      expect((await answer.text()).length).toBeGreaterThan(0);
    }
  });

  test('never names two values of a key, however fast they follow', async () => {
    const store = await jsonOf<Published>(
      await perch.request('/api/kv', { method: 'POST', json: { key: 'a', value: 'first' } }),
      201,
    );
    const path = `${shortPath(store)}/a`;
    const named = new Map<string, string>();
    let writes = 0;
    const write = async () => {
      await perch.request(`/api/kv${path}`, {
        method: 'PUT',
        json: { value: `value ${++writes}` },
        ...ownedBy(store),
      });
    };
    const read = async () => {
      const answer = await perch.request(path);
      const [date, value] = [dateOf(answer), await answer.text()];
      if (date !== null) expect(named.get(date) ?? value).toBe(value);
      if (date !== null) named.set(date, value);
    };
    // Bursts of writes within a second, and pauses in which dates are told.
    for (const pauseMs of [2_100, 2_600]) {
      for (let n = 0; n < 5; n++) await Promise.all([write(), read()]);
      const paused = Date.now() + pauseMs;
      while (Date.now() < paused) {
        await read();
        await Bun.sleep(20);
      }
    }
    expect(named.size).toBeGreaterThanOrEqual(1);
  });

  test('comes to what is read again and again, without another change', async () => {
    const page = await perch.publish(`<p>${long}`);
    const readers = [{}, { 'Accept-Encoding': 'gzip' }, { 'Accept-Encoding': 'identity' }];
    // Read without a pause, so that each gateway keeps an answer from before the date can be told.
    await eventually(async () => {
      const answers = await Promise.all(readers.map((headers) => perch.read(page, { headers })));
      return answers.every((answer) => dateOf(answer) !== null);
    });
    const answers = await Promise.all(readers.map((headers) => perch.read(page, { headers })));
    expect(new Set(answers.map(dateOf)).size).toBe(1);
  });
});

describe('If-Modified-Since', () => {
  test('is 304 while the content is no newer, in every form of it', async () => {
    for (const path of addresses.keys()) {
      for (const coding of ['identity', 'gzip']) {
        const asked = { 'Accept-Encoding': coding };
        const whole = await dated(path, { headers: asked });
        const date = dateOf(whole) ?? '';
        for (const since of [date, asDate(Date.parse(date) + 5_000), asDate(Date.now() + 1e10)])
          for (const method of ['GET', 'HEAD']) {
            const headers = { ...asked, 'If-Modified-Since': since };
            const answer = await perch.request(path, { method, headers });
            expect([path, answer.status, await answer.text()]).toEqual([path, 304, '']);
            expect([dateOf(answer), answer.headers.get('ETag')]).toEqual([date, whole.headers.get('ETag')]);
            expect(answer.headers.get('Vary')).toBe(whole.headers.get('Vary'));
          }
        expect((await whole.bytes()).length).toBeGreaterThan(0);
      }
    }
  });

  test('is ignored when it is older, no date, or beside If-None-Match', async () => {
    for (const path of addresses.keys()) {
      const { headers } = await dated(path, { method: 'HEAD' });
      const date = headers.get('Last-Modified') ?? '';
      const etag = headers.get('ETag') ?? '';
      const statusFor = async (own: Record<string, string>) =>
        (await perch.request(path, { headers: own })).status;
      for (const since of [
        asDate(Date.parse(date) - 1_000),
        'yesterday',
        '',
        '2100-01-01',
        `${date}, ${date}`,
      ])
        expect([path, since, await statusFor({ 'If-Modified-Since': since })]).toEqual([path, since, 200]);
      expect(await statusFor({ 'If-Modified-Since': date, 'If-None-Match': '"another"' })).toBe(200);
      const older = asDate(Date.parse(date) - 1_000);
      expect(await statusFor({ 'If-Modified-Since': older, 'If-None-Match': etag })).toBe(304);
    }
  });

  test('is looked at before a range, and only where it is a read', async () => {
    const file = await publishFile(perch, 'picture.png', png());
    const since = { 'If-Modified-Since': dateOf(await dated(fileApiPath(file))) ?? '' };
    for (const path of [shortPath(file), fileApiPath(file)])
      for (const range of ['bytes=0-3', 'bytes=5-', 'bytes=900000-']) {
        const answer = await perch.request(path, { headers: { ...since, Range: range } });
        expect([answer.status, answer.headers.get('Content-Range')]).toEqual([304, null]);
      }
    const refused = await perch.request(fileApiPath(file), { headers: { ...since, 'If-Match': '"other"' } });
    expect(refused.status).toBe(412);
    const removed = await perch.request(fileApiPath(file), {
      method: 'DELETE',
      headers: { ...ownedBy(file).headers, ...since },
    });
    expect(removed.status).toBe(204);
  });

  test('counts as a view, as any 304 does, and not by the API', async () => {
    const page = await perch.publish('<p>viewed');
    const date = dateOf(await dated(shortPath(page), { method: 'HEAD' })) ?? '';
    for (const views of ['1', '2']) {
      const answer = await perch.read(page, { headers: { 'If-Modified-Since': date } });
      expect([answer.status, answer.headers.get('X-Views')]).toEqual([304, views]);
      await perch.api(page, { headers: { 'If-Modified-Since': date } });
    }
  });
});

describe('If-Unmodified-Since on reads', () => {
  test('is 412 when the content is newer, in every form of it, and else passed over', async () => {
    for (const path of addresses.keys()) {
      const { headers } = await dated(path, { method: 'HEAD' });
      const date = headers.get('Last-Modified') ?? '';
      const [etag, older] = [headers.get('ETag') ?? '', asDate(Date.parse(date) - 1_000)];
      for (const method of ['GET', 'HEAD']) {
        const statusFor = async (since: string, own: Record<string, string> = {}) =>
          (await perch.request(path, { method, headers: { ...own, 'If-Unmodified-Since': since } })).status;
        for (const since of [date, asDate(Date.now() + 1e10), 'yesterday', '', `${older}, ${older}`])
          expect([path, since, await statusFor(since)]).toEqual([path, since, 200]);
        for (const own of [
          {},
          { 'Accept-Encoding': 'gzip' },
          { 'If-None-Match': etag },
          { Range: 'bytes=0-' },
        ])
          expect([path, own, await statusFor(older, own)]).toEqual([path, own, 412]);
        expect([path, await statusFor(older, { 'If-Match': '*' })]).toEqual([path, 200]);
      }
      const refused = await perch.request(path, { headers: { 'If-Unmodified-Since': older } });
      const { message } = await expectError(refused, 412, 'PRECONDITION_FAILED');
      expect(message).toContain('If-Unmodified-Since');
    }
  });

  test('is passed over where no date is told', async () => {
    const statuses = await Promise.all(
      withoutDate.map(
        async (path) => (await perch.request(path, { headers: { 'If-Unmodified-Since': asDate(0) } })).status,
      ),
    );
    expect(statuses).toEqual([200, 200, 404]);
  });
});

describe('If-Unmodified-Since on changes', () => {
  const since = { 'If-Unmodified-Since': asDate(Date.now() + 1e10) };

  /** A change of an item by its owner, below the address of its kind, under conditions. */
  const change = (method: string, path: string, item: Published, options: RequestOptions) =>
    perch.request(path, {
      ...options,
      method,
      headers: { ...options.headers, ...ownedBy(item).headers },
    });

  for (const kind of KINDS.filter(({ name }) => name !== 'site'))
    test(`of a ${kind.name} is refused, unless If-Match is there, too`, async () => {
      const item = await publishKind(perch, kind, 'kept');
      const path = `${kind.path}${shortPath(item)}${kind.content.api}`;
      const changes: Array<[method: string, options: RequestOptions]> = [['DELETE', {}]];
      if (kind.change !== null) changes.unshift(['PUT', kind.change.options]);
      for (const [method, options] of changes) {
        const send = (own: Record<string, string>) =>
          change(method, path, item, { ...options, headers: { ...options.headers, ...own } });
        const { details } = await expectError(await send(since), 400, 'VALIDATION_FAILED');
        expect(details).toEqual([
          { field: 'If-Unmodified-Since', message: expect.stringContaining('If-Match') },
        ]);
        const read = await perch.request(path, { query: { raw: true } });
        expect([method, read.status]).toEqual([method, 200]);
        if (method === 'PUT') expect(await read.text()).toContain('kept');
        expect((await send({ ...since, 'If-Match': '*' })).ok).toBe(true);
      }
    });

  test('of any kind, or by an increment or append, is refused as well', async () => {
    const page = await perch.publish('<p>kept');
    const removed = await change('DELETE', `/api${shortPath(page)}`, page, { headers: since });
    await expectError(removed, 400, 'VALIDATION_FAILED', 'If-Unmodified-Since');
    const store = await jsonOf<Published>(
      await perch.request('/api/kv', { method: 'POST', json: { key: 'n', value: 1 } }),
      201,
    );
    const increment = `/api/kv${shortPath(store)}/n/increment`;
    const options = { json: { by: 1 }, headers: since };
    const incremented = await change('POST', increment, store, options);
    await expectError(incremented, 400, 'VALIDATION_FAILED', 'If-Unmodified-Since');
  });

  test('of a key that is written again and again is refused each time', async () => {
    const store = await jsonOf<Published>(
      await perch.request('/api/kv', { method: 'POST', json: { key: 'a', value: 1 } }),
      201,
    );
    const path = `/api/kv${shortPath(store)}/a`;
    for (let n = 0; n < 5; n++) {
      expect((await change('PUT', path, store, { json: { value: n } })).status).toBe(200);
      const refused = await change('PUT', path, store, { json: { value: 'lost' }, headers: since });
      await expectError(refused, 400, 'VALIDATION_FAILED', 'If-Unmodified-Since');
    }
  });
});

describe('If-Range with a date', () => {
  const part = { Range: 'bytes=2-5' };

  test('gives the part of a file that has only one form', async () => {
    const file = await publishFile(perch, 'picture.png', png());
    const date = dateOf(await dated(shortPath(file))) ?? '';
    for (const path of [shortPath(file), fileApiPath(file)]) {
      const answer = await perch.request(path, { headers: { ...part, 'If-Range': date } });
      expect([answer.status, await answer.bytes()]).toEqual([206, png().slice(2, 6)]);
      for (const other of [asDate(Date.parse(date) - 1_000), asDate(Date.parse(date) + 1_000)])
        expect((await perch.request(path, { headers: { ...part, 'If-Range': other } })).status).toBe(200);
    }
  });

  test('gives the whole of a text, whose compressed forms have that date, too', async () => {
    const file = await publishFile(perch, 'notes.txt', long);
    const answer = await dated(shortPath(file));
    const date = dateOf(answer) ?? '';
    const whole = await perch.read(file, { headers: { ...part, 'If-Range': date } });
    expect([whole.status, await whole.text()]).toEqual([200, long]);
  });
});
