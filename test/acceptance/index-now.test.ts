import { expect, test } from 'bun:test';
import { sharePerch, usePerch } from './support/perch.ts';

const KEY = 'index-now-key-of-a-test';
const perch = usePerch({ env: { INDEXNOW_KEY: KEY } });
const without = sharePerch();

const read = async (client: Pick<typeof perch, 'request'>, path: string) => {
  const response = await client.request(path);
  expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
  return [response.status, await response.text()];
};

test("the key's file has the key, and no other file is there", async () => {
  expect(await read(perch, `/${KEY}.txt`)).toEqual([200, KEY]);
  for (const name of [`${KEY}x`, KEY.toUpperCase(), 'short', 'x'.repeat(128)])
    expect(await read(perch, `/${name}.txt`)).toEqual([404, 'There is no such file.\n']);
  const head = await perch.request(`/${KEY}.txt`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test('without a key there is no such file, and files of other names stay what they are', async () => {
  expect(await read(without, `/${KEY}.txt`)).toEqual([404, 'There is no such file.\n']);
  for (const name of ['with.dot.in-it', 'with_line', 'x'.repeat(129)])
    expect((await without.request(`/${name}.txt`)).headers.get('Content-Type')).toStartWith(
      'application/json',
    );
  expect((await perch.request('/llms-full.txt')).status).toBe(200);
});
