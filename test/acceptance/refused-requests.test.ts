import { expect, setDefaultTimeout, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { readAccessLog } from './support/access-log.ts';
import { listOf } from './support/admin-list.ts';
import { jsonOf } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';

setDefaultTimeout(180_000);
const perch = usePerch({ env: { ADMIN_PASSWORD, LIMIT_READS_PER_MINUTE: '5' } });

interface Statistics {
  totalRequests: number;
  byStatus: Record<string, number>;
}

test('a client that goes on after its 429 fills no log, and is counted in full', async () => {
  const headers = { 'X-Admin-Password': ADMIN_PASSWORD };
  const statistics = async () =>
    await jsonOf<Statistics>(
      await perch.request('/api/admin/access/stats', { query: { days: '1' }, headers }),
    );
  await atOnce(5, () => perch.request('/public/never-was'));
  await atOnce(1_000, async (n) => {
    const refused = await perch.request(`/public/never-was-${n}`);
    expect(refused.status).toBe(429);
  });
  await eventually(async () => (await statistics()).byStatus['429'] === 1_000);

  const { total, items } = await listOf<{ requests: number; path: string }>(
    await perch.request('/api/admin/access', { query: { status: '429', limit: '1000' }, headers }),
  );
  expect(total).toBe(1_000);
  expect(items.reduce((sum, { requests }) => sum + requests, 0)).toBe(1_000);
  expect(items.length).toBeLessThan(50);
  expect(items.some(({ requests, path }) => requests > 100 && path === '*')).toBe(true);
  const paged = await perch.request('/api/admin/access', { query: { status: '429', limit: '1' }, headers });
  expect((await listOf(paged)).total).toBe(1_000);
  expect(await readAccessLog(perch, { status: '404' })).toHaveLength(5);

  // Lines leave a second later at the most.
  await eventually(async () => {
    const logs = await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')));
    const refused = logs.flatMap((text) => text.split('\n').filter((line) => line.includes('"status":429')));
    return refused.length === items.length;
  });
  const text = await (await fetch(`${perch.url}/metrics`)).text();
  expect(text).toMatch(
    new RegExp(
      `^access_log_summed_total\\{[^}]*reason="refused"[^}]*\\} ${1_000 - items.length + items.filter(({ requests }) => requests > 1).length}$`,
      'm',
    ),
  );
});
