import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiPath, jsonOf, type Published, raw, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { fileApiPath, NAVIGATION, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import { film, pageOf, VIDEO_LIMIT } from './support/samples.ts';
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

/** Longer than what is kept in memory: a film, and a file of a site with another one before it. */
const LONG_SIZES = [1_048_577, 3_000_000, VIDEO_LIMIT];
const filmOf = (size: number): Uint8Array => {
  const content = Uint8Array.from({ length: size }, (_, index) => (index * 7 + (index >> 8)) & 255);
  content.set(film);
  return content;
};

describe('what is longer than is kept in memory says how long it is', () => {
  const films = new Map<string, Uint8Array>();
  const ranges = new Map<string, Uint8Array>();

  beforeAll(async () => {
    for (const size of LONG_SIZES) {
      const content = filmOf(size);
      const file = await publishFile(perch, 'film.mp4', content);
      for (const path of [shortPath(file), fileApiPath(file)]) films.set(path, content);
      if (size === 3_000_000) ranges.set(shortPath(file), content);
    }
    const content = filmOf(4_000_000);
    const site = await publishSite(perch, { 'index.html': '<p>entry', 'a.mp4': content, 'z.txt': 'end' });
    for (const path of [`${shortPath(site)}/a.mp4`, `${siteApiPath(site)}/files/a.mp4`])
      films.set(path, content);
    ranges.set(`${shortPath(site)}/a.mp4`, content);
  }, 60_000);

  test('GET and HEAD, several readers at once', async () => {
    for (const [path, content] of films) {
      const lengths = [String(content.length), null, null];
      const head = await perch.request(path, { method: 'HEAD' });
      const answers = await Promise.all([perch.request(path), perch.request(path), perch.request(path)]);
      for (const { status, headers } of [head, ...answers]) {
        expect([path, status]).toEqual([path, 200]);
        const found = ['Content-Length', 'Transfer-Encoding', 'Content-Range'].map((name) =>
          headers.get(name),
        );
        expect([path, ...found]).toEqual([path, ...lengths]);
        expect(headers.get('Content-Disposition')).toBe(head.headers.get('Content-Disposition'));
        expect(headers.get('Content-Type')).toBe('video/mp4');
      }
      for (const answer of answers) expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(content));
    }
  }, 60_000);

  test('ranges of every size, several at once', async () => {
    for (const [path, content] of ranges) {
      const { length } = content;
      const parts = [
        [0, 0],
        [5, 1_048_580],
        [5, 1_048_581],
        [0, length - 2],
        [1, length - 1],
        [0, length - 1],
        [length - 1_500_000, length - 1],
      ] as const;
      await Promise.all(
        parts.map(async ([start, end]) => {
          const answer = await perch.request(path, { headers: { Range: `bytes=${start}-${end}` } });
          expect([answer.status, answer.headers.get('Content-Range')]).toEqual([
            206,
            `bytes ${start}-${end}/${length}`,
          ]);
          expect(answer.headers.get('Content-Length')).toBe(String(end - start + 1));
          expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(content.subarray(start, end + 1)));
        }),
      );
    }
  });

  test('the whole, where a range of another version is asked for', async () => {
    for (const [path, content] of ranges)
      for (const own of [{ Range: 'bytes=5-9', 'If-Range': '"other"' }, { Range: 'bytes=0-1,7-9' }]) {
        const answer = await perch.request(path, { headers: own });
        expect([answer.status, answer.headers.get('Content-Range')]).toEqual([200, null]);
        expect(answer.headers.get('Content-Length')).toBe(String(content.length));
        expect(Bun.hash(await answer.bytes())).toBe(Bun.hash(content));
      }
  });

  test('exactly so many bytes follow on the wire, so that the connection goes on', async () => {
    const { hostname, port } = new URL(perch.url);
    const [asked] = ranges;
    const [path, content] = asked ?? ['', new Uint8Array()];
    const socket = connect(Number(port), hostname);
    try {
      let rest = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        rest = Buffer.concat([rest, chunk]);
      });
      for (const [own, body] of [
        ['', content],
        ['Range: bytes=9-2000008\r\n', content.subarray(9, 2_000_009)],
        ['', content],
      ] as const) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: perch\r\nUser-Agent: raw\r\n${own}\r\n`);
        await eventually(() => rest.includes('\r\n\r\n'));
        const start = rest.indexOf('\r\n\r\n') + 4;
        const head = rest.subarray(0, start).toString().toLowerCase();
        expect(head).toContain(`content-length: ${body.length}\r\n`);
        await eventually(() => rest.length >= start + body.length);
        expect(Bun.hash(rest.subarray(start))).toBe(Bun.hash(body));
        rest = Buffer.alloc(0);
      }
    } finally {
      socket.destroy();
    }
  });

  test('a download that broke off goes on where it ended, as curl does it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'perch-resumed-'));
    try {
      for (const [path, content] of ranges) {
        const target = join(dir, 'film.mp4');
        await writeFile(target, content.subarray(0, 1_234_567));
        const { exited } = Bun.spawn(['curl', '-sSf', '-C', '-', '-o', target, `${perch.url}${path}`]);
        expect(await exited).toBe(0);
        expect(Bun.hash(await readFile(target))).toBe(Bun.hash(content));
      }
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  });
});
