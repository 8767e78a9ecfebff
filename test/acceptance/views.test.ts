import { expect, test } from 'bun:test';
import { atOnce } from './support/concurrency.ts';
import { viewsOf } from './support/file-client.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({ gateways: 2, env: { LIMIT_READS_PER_MINUTE: '400', TRUST_PROXY: '1' } });

test('X-Views does not count what the rate limit refuses', async () => {
  const page = await perch.publish('<p>x');
  const headers = { 'X-Forwarded-For': '10.8.0.1' };
  const answers = await atOnce(430, (n) => (n % 2 === 0 ? perch : perch.last).read(page, { headers }));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(30);
  for (const { headers: refusal } of refused) expect(refusal.has('X-Views')).toBe(false);
  expect(await viewsOf(perch.last, page, { headers: { 'X-Forwarded-For': '10.8.0.2' } })).toBe(400);
});
