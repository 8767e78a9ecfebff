import { expect, test } from 'bun:test';
import { apiPath, jsonOf, ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const sourceOf = async (page: Published) => {
  const response = await perch.last.request(`${apiPath(page)}/source`, ownedBy(page));
  const etag = response.headers.get('ETag') ?? '';
  return { etag, ...(await jsonOf<{ content: string; title: string }>(response)) };
};
/** PUT under a condition. */
const putIf = (page: Published, condition: string, content: string, client = perch.last) =>
  client.api(page, {
    method: 'PUT',
    ...raw(content, 'text/html', { headers: { ...ownedBy(page).headers, 'If-Match': condition } }),
  });

test('an update with the ETag of the source replaces it, and names the new one', async () => {
  const page = await perch.publish('<p>one');
  const { etag } = await sourceOf(page);
  expect((await perch.api(page, { query: { raw: true } })).headers.get('ETag')).toBe(etag);
  const updated = await putIf(page, etag, '<p>two');
  expect(updated.status).toBe(200);
  const after = await sourceOf(page);
  expect(after.content).toBe('<p>two');
  expect(updated.headers.get('ETag')).toBe(after.etag);
  expect((await putIf(page, after.etag, '<p>three')).status).toBe(200);
});

test('an update with the ETag of a view replaces the version that was seen, and no other', async () => {
  const page = await perch.publish('# One', { query: { format: 'markdown' } });
  const seen = await Promise.all([
    perch.api(page),
    perch.read(page),
    perch.read(page, { headers: { 'Accept-Encoding': 'gzip' } }),
  ]);
  const etags = seen.map(({ headers }) => headers.get('ETag') ?? '');
  for (const etag of etags) {
    // The tag of a later version with this content.
    const other = etag.replace(/-([a-z0-9]+)("|-gzip")$/, '-$10$2');
    await expectError(await putIf(page, other, '# Mine'), 412, 'PRECONDITION_FAILED');
  }
  expect((await putIf(page, etags[2] ?? '', '# Two')).status).toBe(200);
  for (const etag of etags) await expectError(await putIf(page, etag, '# Three'), 412, 'PRECONDITION_FAILED');
  const read = await perch.api(page);
  const titled = {
    method: 'PUT',
    ...raw('# Two', 'text/html', { ...ownedBy(page), query: { title: 'New' } }),
  };
  expect((await perch.api(page, titled)).status).toBe(200);
  const condition = read.headers.get('ETag') ?? '';
  await expectError(await putIf(page, condition, '# Three'), 412, 'PRECONDITION_FAILED');
});

test('a delete with the ETag of a view removes the version that was seen, and no other', async () => {
  for (const path of [apiPath, (page: Published) => `/api${shortPath(page)}`]) {
    const removeIf = (page: Published, condition: string) =>
      perch.last.request(path(page), {
        method: 'DELETE',
        headers: { ...ownedBy(page).headers, 'If-Match': condition },
      });
    const seeings = [
      (page: Published) => perch.api(page),
      (page: Published) => perch.read(page),
      (page: Published) => perch.read(page, { headers: { 'Accept-Encoding': 'gzip' } }),
    ];
    for (const see of seeings) {
      const page = await perch.publish('# One', { query: { format: 'markdown' } });
      const seen = (await see(page)).headers.get('ETag') ?? '';
      expect((await putIf(page, '*', '# Two')).status).toBe(200);
      await expectError(await removeIf(page, seen), 412, 'PRECONDITION_FAILED');
      expect((await sourceOf(page)).content).toBe('# Two');
      expect((await removeIf(page, (await see(page)).headers.get('ETag') ?? '')).status).toBe(204);
    }
  }
});

test('an update of what somebody else has changed is 412, and changes nothing', async () => {
  const page = await perch.publish('<p>one');
  const { etag } = await sourceOf(page);
  expect((await putIf(page, etag, '<p>theirs')).status).toBe(200);
  for (const client of perch.clients)
    await expectError(await putIf(page, etag, '<p>mine', client), 412, 'PRECONDITION_FAILED');
  for (const condition of [`W/${etag}`, 'nonsense', '"a", "b"'])
    await expectError(await putIf(page, condition, '<p>mine'), 412, 'PRECONDITION_FAILED');
  expect((await sourceOf(page)).content).toBe('<p>theirs');
});

test('any version is replaced with *, with one of several tags, and without a condition', async () => {
  const page = await perch.publish('<p>one');
  const { etag } = await sourceOf(page);
  expect((await putIf(page, `"x", ${etag}`, '<p>two')).status).toBe(200);
  expect((await putIf(page, '*', '<p>three')).status).toBe(200);
  const plain = { method: 'PUT', ...raw('<p>four', 'text/html', ownedBy(page)) };
  expect((await perch.api(page, plain)).status).toBe(200);
  expect((await sourceOf(page)).content).toBe('<p>four');
});

test('of several updates of one version at once one is made', async () => {
  const page = await perch.publish('# One', { query: { format: 'markdown' } });
  const { etag } = await sourceOf(page);
  const answers = await atOnce(6, (n) => putIf(page, etag, `# Title ${n}`));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 1, 412: 5 });
  const winner = answers.findIndex(({ status }) => status === 200);
  expect(await sourceOf(page)).toMatchObject({ content: `# Title ${winner}`, title: `Title ${winner}` });
});
