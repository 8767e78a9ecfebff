import { describe, expect, test } from 'bun:test';
import { jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, fresh } from './support/concurrency.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

/** Several posts of the same, over all gateways at once. */
const postAtOnce = (times: number, options: RequestOptions) =>
  atOnce(times, (n) => (n % 2 === 0 ? perch : perch.last).post(options));

describe('a byte-identical repost', () => {
  /** An owner, and how to post something of theirs. */
  async function owner() {
    const first = await perch.publish(`<p>${fresh('first')}`);
    return (content: string, options: RequestOptions = {}): RequestOptions =>
      raw(content, 'text/html', { ...options, headers: { ...options.headers, ...ownedBy(first).headers } });
  }

  test('of the same owner gets the page that is there already', async () => {
    const as = await owner();
    const content = `<p>${fresh('content')}`;
    const first = await perch.post(as(content));
    expect(first.headers.has('X-Existing-Resource')).toBe(false);
    const original = await jsonOf<Published>(first, 201);
    const again = await perch.last.post(as(content));
    expect(again.headers.get('X-Existing-Resource')).toBe('1');
    expect(again.headers.get('Location')).toEndWith(`/public/${original.id}`);
    const {
      url: _u,
      link: _l,
      shortUrl: _s,
      ownerLink: _o,
      managementLink: _m,
      result: _r,
      ...same
    } = original;
    const repeated = await jsonOf<Published>(again, 201);
    expect(repeated).toMatchObject(same);
    const outcome = { code: 'duplicate', action: 'merged', extras: { isOwner: true } };
    expect(repeated.result).toMatchObject(outcome);
    expect(Object.keys(repeated).sort()).toEqual(Object.keys(original).sort());
  });

  test('under an idempotency key is a page of its own, which the key finds again', async () => {
    const as = await owner();
    const content = `<p>${fresh('content')}`;
    const original = await perch.publish(as(content));
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const made = await perch.publish(as(content, { headers }));
    expect(made.id).not.toBe(original.id);
    expect((await perch.last.publish(as(content, { headers }))).id).toBe(made.id);
    const other = await perch.post(as(`<p>${fresh('another')}`, { headers }));
    expect(other.status).toBe(400);
  });

  test('as JSON and raw is the same repost', async () => {
    const as = await owner();
    const content = `<p>${fresh('content')}`;
    const original = await perch.publish(as(content));
    const again = await perch.publish({ json: { content }, headers: ownedBy(original).headers });
    expect(again.id).toBe(original.id);
  });

  test('twelve times at once makes one page', async () => {
    const as = await owner();
    for (const format of ['html', 'markdown']) {
      const answers = await postAtOnce(12, as(`<p>${fresh('content')}`, { query: { format } }));
      const pages = await Promise.all(answers.map((answer) => jsonOf<Published>(answer, 201)));
      expect(new Set(pages.map(({ id }) => id)).size).toBe(1);
      const existing = answers.filter((answer) => answer.headers.get('X-Existing-Resource') === '1');
      expect(existing).toHaveLength(11);
    }
  });

  test('makes a new page for another owner and for none', async () => {
    const [one, two] = [await owner(), await owner()];
    const content = `<p>${fresh('content')}`;
    const posts = [one(content), two(content), raw(content, 'text/html'), raw(content, 'text/html')];
    const ids = await Promise.all(posts.map(async (post) => (await perch.publish(post)).id));
    expect(new Set(ids).size).toBe(4);
  });

  test('makes a new page in another namespace, with a password, in another format', async () => {
    const as = await owner();
    const content = `<p>${fresh('content')}`;
    const variants: RequestOptions[] = [
      ...[{}, { query: { ns: 'elsewhere' } }, { query: { ns: 'elsewhere' } }],
      ...[{ headers: { 'X-Password': 'one' } }, { headers: { 'X-Password': 'one' } }],
      ...[{ query: { format: 'markdown' } }, { query: { format: 'text' } }],
    ];
    const ids: string[] = [];
    for (const variant of variants) {
      const response = await perch.post(as(content, variant));
      expect(response.headers.has('X-Existing-Resource')).toBe(false);
      ids.push((await jsonOf<Published>(response, 201)).id);
    }
    expect(new Set(ids).size).toBe(variants.length);
  });

  test('makes a new page once the first is changed or gone', async () => {
    const as = await owner();
    const content = `<p>${fresh('content')}`;
    const first = await perch.publish(as(content));
    await jsonOf(await perch.api(first, { method: 'PUT', ...as('<p>changed') }));
    const second = await perch.publish(as(content));
    expect(second.id).not.toBe(first.id);
    expect((await perch.api(second, { method: 'DELETE', ...ownedBy(second) })).status).toBe(204);
    const third = await perch.publish(as(content));
    expect([first.id, second.id]).not.toContain(third.id);
  });

  test('under the id it has already is the same page, not a conflict', async () => {
    const as = await owner();
    const post = as(`<p>${fresh('content')}`, { query: { id: 'mine' } });
    await perch.publish(post);
    const again = await perch.post(post);
    expect(again.headers.get('X-Existing-Resource')).toBe('1');
    expect((await jsonOf<Published>(again, 201)).id).toBe('mine');
  });
});

describe('Idempotency-Key', () => {
  const keyed = (key: string, content: string, options: RequestOptions = {}): RequestOptions =>
    raw(content, 'text/html', { ...options, headers: { ...options.headers, 'Idempotency-Key': key } });

  test('of an item that is gone gives its token to nobody, whoever repeats the whole create', async () => {
    const create = keyed(crypto.randomUUID(), '<p>seen by everybody', {
      query: { ns: 'keyed', id: fresh('gone') },
    });
    const first = await perch.publish(create);
    expect((await perch.api(first, { method: 'DELETE', ...ownedBy(first) })).status).toBe(204);
    const second = await perch.publish(create);
    expect(second.ownerToken).not.toBe(first.ownerToken);
    expect((await perch.api(second, { method: 'DELETE', ...ownedBy(first) })).status).toBe(403);
    const again = await perch.last.publish(create);
    expect([again.id, again.ownerToken]).toEqual([second.id, second.ownerToken]);
  });

  test('of two owners are two keys', async () => {
    const owners = [await perch.publish('<p>one'), await perch.publish('<p>two')];
    const key = crypto.randomUUID();
    const ids = await Promise.all(
      owners.map(async (page) => (await perch.publish(keyed(key, '<p>same', ownedBy(page)))).id),
    );
    expect(new Set(ids).size).toBe(2);
  });
});
