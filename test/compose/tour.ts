import { beforeAll, describe, expect, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, ownedBy } from '../acceptance/support/client.ts';
import { publishFile } from '../acceptance/support/file-client.ts';
import { itemPath, KINDS, publishKind, readContent, readsOf } from '../acceptance/support/kinds.ts';
import type { RunningProject } from './project.ts';

/** Every kind of item, through the proxy of the running project. */
export function checkTour(project: () => RunningProject): void {
  describe('tour', () => {
    let perch: RunningProject;
    const client = createClient(() => perch.url, { isProxied: true });

    beforeAll(async () => {
      perch = project();
    });

    describe.each(KINDS.map((kind) => [kind.name, kind] as const))('%s', (_, kind) => {
      test('is published, read at all of its addresses, changed and removed', async () => {
        const item = await publishKind(client, kind, 'as it was');
        expect(await (await readContent(client, kind, item)).text()).toContain(kind.bytesOf('as it was'));
        for (const path of readsOf(kind, item)) {
          const answer = await client.request(path, { ...ownedBy(item), redirect: 'follow' });
          expect([path, answer.status]).toEqual([path, 200]);
          await answer.arrayBuffer();
        }
        if (kind.change !== null) {
          const { at, options } = kind.change;
          const headers = { ...options.headers, ...ownedBy(item).headers };
          const method = 'PUT';
          const changed = await client.request(`${itemPath(kind, item)}${at}`, {
            ...options,
            method,
            headers,
          });
          expect(changed.status).toBe(200);
          expect(await (await readContent(client, kind, item)).text()).toContain('changed');
        }
        const removed = await client.request(itemPath(kind, item), { method: 'DELETE', ...ownedBy(item) });
        expect(removed.status).toBeLessThan(300);
        expect((await readContent(client, kind, item)).status).toBe(410);
      });
    });

    test('markdown is rendered, found in the gallery and counted', async () => {
      const page = await client.publish({
        body: '# Containers\n\n```ts\nconst x = 1;\n```\n',
        headers: { 'Content-Type': 'text/markdown' },
        query: { tags: 'seen-running' },
      });
      expect(await (await client.read(page)).text()).toContain('hljs-keyword');
      const gallery = await client.request('/api/gallery', { query: { q: 'containers' } });
      expect(await gallery.text()).toContain(page.id);
      expect((await client.request('/api/stats')).status).toBe(200);
    });

    test('4 MB come in and go out unchanged, whole and in part', async () => {
      const text = '0123456789abcdef'.repeat(262_000);
      const file = await publishFile(client, 'large.txt', text);
      expect(await (await client.read(file, { query: { raw: true } })).text()).toBe(text);
      const part = await client.read(file, { query: { raw: true }, headers: { Range: 'bytes=16-31' } });
      expect([part.status, await part.text()]).toEqual([206, '0123456789abcdef']);
    });

    test('the operator gets in with the password from the secrets, and finds these requests in the log', async () => {
      const password = await readFile(join(perch.folder, 'secrets/admin-password'), 'utf8');
      const headers = { 'X-Admin-Password': password };
      let found = '';
      for (const deadline = Date.now() + 60_000; !found.includes('/api/stats') && Date.now() < deadline; ) {
        const answer = await client.request('/api/admin/access', { headers, query: { limit: 100 } });
        expect(answer.status).toBe(200);
        found = await answer.text();
        await Bun.sleep(500);
      }
      expect(found).toContain('/api/stats');
    }, 70_000);

    test('what is for those who run it is not told outside', async () => {
      for (const path of ['/metrics', '/readyz'])
        expect((await fetch(`${perch.url}${path}`)).status).toBe(404);
      expect((await fetch(`${perch.url}/healthz`)).status).toBe(200);
    });

    test('Prometheus reaches every process', async () => {
      const read = async (): Promise<Record<string, string>> => {
        const address = 'http://127.0.0.1:9090/api/v1/query?query=up';
        const { output } = await perch.compose('exec', '-T', 'prometheus', 'wget', '-q', '-O', '-', address);
        const { data } = JSON.parse(output) as {
          data: { result: Array<{ metric: { instance: string }; value: [number, string] }> };
        };
        return Object.fromEntries(data.result.map(({ metric, value }) => [metric.instance, value[1]]));
      };
      let up = await read();
      for (const deadline = Date.now() + 90_000; Date.now() < deadline; up = await read()) {
        if (Object.keys(up).length === 5 && Object.values(up).every((value) => value === '1')) break;
        await Bun.sleep(1_000);
      }
      expect(Object.values(up)).toEqual(['1', '1', '1', '1', '1']);
    }, 120_000);

    test('Compose has nothing to warn about', async () => {
      expect((await perch.compose('config', '--quiet')).errors).toBe('');
    });

    test('health checks write nothing into the proxy’s log', async () => {
      const { output } = await perch.compose('logs', '--no-log-prefix', 'proxy');
      expect(output).toContain('serving initial configuration');
      expect(output.split('\n').filter((line) => line.includes('admin.api'))).toEqual([]);
    });
  });
}
