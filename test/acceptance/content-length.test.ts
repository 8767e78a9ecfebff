import { beforeAll, describe, expect, test } from 'bun:test';
import { apiPath, jsonOf, type Published, raw, shortPath } from './support/client.ts';
import { fileApiPath, NAVIGATION, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { pageOf } from './support/samples.ts';
import { publishSite, siteApiPath } from './support/site-client.ts';

const perch = sharePerch();

/** Around the 15 KB where bodies begin to be sent in another way, and what is the largest file kept in memory. */
const SIZES = [1, 15_359, 15_360, 15_361, 100_000, 1_048_576];

const textOf = (size: number): string => 'line of text.\n'.repeat(Math.ceil(size / 14)).slice(0, size);

const publish = async (kind: 'html' | 'json', content: string, type: string): Promise<Published> =>
  jsonOf<Published>(await perch.request(`/api/${kind}`, { method: 'POST', ...raw(content, type) }), 201);

/** Address to what is there. */
const expected = new Map<string, string>();

beforeAll(async () => {
  const files: Record<string, string> = { 'index.html': '<p>entry' };
  for (const size of SIZES) {
    const text = textOf(size);
    const file = await publishFile(perch, 'a.txt', text);
    for (const path of [shortPath(file), fileApiPath(file)]) expected.set(path, text);
    files[`${size}.txt`] = text;
    if (size < 2) continue;
    const document = `"${'x'.repeat(size - 2)}"`;
    const item = await publish('json', document, 'application/json');
    for (const path of [shortPath(item), `/api/json${shortPath(item)}`]) expected.set(path, document);
    const markup = pageOf(Math.max(size, 1_000));
    const page = await publish('html', markup, 'text/html');
    for (const path of [shortPath(page), apiPath(page)]) expected.set(`${path}?raw=true`, markup);
  }
  const site = await publishSite(perch, files);
  for (const size of SIZES) {
    expected.set(`${shortPath(site)}/${size}.txt`, textOf(size));
    expected.set(`${siteApiPath(site)}/files/${size}.txt`, textOf(size));
  }
}, 60_000);

describe('what is served from memory says how long it is', () => {
  test('GET and HEAD of every kind of content, several readers at once', async () => {
    for (const [path, content] of expected) {
      const lengths = [String(content.length), null];
      const head = await perch.request(path, { method: 'HEAD' });
      const answers = await Promise.all([perch.request(path), perch.request(path), perch.request(path)]);
      for (const { status, headers } of [head, ...answers]) {
        expect([path, status]).toEqual([path, 200]);
        expect([headers.get('Content-Length'), headers.get('Transfer-Encoding')]).toEqual(lengths);
      }
      for (const answer of answers) expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(content));
    }
  }, 60_000);

  test('ranges of every size', async () => {
    const content = textOf(1_048_576);
    for (const [path, whole] of expected) {
      if (whole !== content || !path.endsWith('1048576.txt')) continue;
      for (const size of SIZES.slice(0, -1)) {
        const answer = await perch.request(path, { headers: { Range: `bytes=7-${size + 6}` } });
        expect([answer.status, answer.headers.get('Content-Length')]).toEqual([206, String(size)]);
        expect(answer.headers.get('Content-Range')).toBe(`bytes 7-${size + 6}/1048576`);
        expect(await answer.text()).toBe(content.slice(7, size + 7));
      }
    }
  });

  test('a rendered text file, and a page with its top bar', async () => {
    const file = await publishFile(perch, 'long.txt', textOf(50_000));
    const page = await publish('html', pageOf(50_000), 'text/html');
    const viewer = await perch.read(file, { headers: NAVIGATION });
    for (const answer of [viewer, await perch.read(page)]) {
      expect([answer.status, answer.headers.get('Transfer-Encoding')]).toEqual([200, null]);
      expect((await answer.bytes()).length).toBe(Number(answer.headers.get('Content-Length')));
    }
  });
});
