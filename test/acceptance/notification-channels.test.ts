import { afterAll, expect, test } from 'bun:test';
import { type AddressInfo, createServer } from 'node:net';
import { listOf } from './support/admin-list.ts';
import { jsonOf } from './support/client.ts';
import { atOnce, eventually, tally } from './support/concurrency.ts';
import { usePerch } from './support/perch.ts';

const PASSWORD = 'the operator of this Perch';

/** Enough that webhooks which wait for a batch of mails each are far from done when the test gives up. */
const REPORTS = 40;

/** A mail server that takes connections and never says a word. */
const silent = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.resume();
});
await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()));
const { port } = silent.address() as AddressInfo;

const told: string[] = [];
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request): Promise<Response> {
    const { data } = (await request.json()) as { data: { reportId: string } };
    told.push(data.reportId);
    return new Response(null, { status: 204 });
  },
});

const env = {
  ADMIN_PASSWORD: PASSWORD,
  TRUST_PROXY: '1',
  WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/`,
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_SECRET: `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`,
  SMTP_URL: `smtp://127.0.0.1:${port}`,
  EMAIL_FROM: 'perch@example.org',
  EMAIL_TO: 'abuse@example.org',
};
const perch = usePerch({ env });

afterAll(async () => {
  await receiver.stop(true);
  await new Promise<void>((resolve) => silent.close(() => resolve()));
});

async function report(n: number): Promise<string> {
  const json = {
    reportedUrl: `${perch.url}/public/nothing`,
    category: 'phishing',
    description: `It is number ${n} of many.`,
  };
  const options = { method: 'POST', json, headers: { 'X-Forwarded-For': `10.6.${n}.1` } };
  return (await jsonOf<{ reportId: string }>(await perch.request('/api/reports', options), 201)).reportId;
}

async function channelsOf(state: string): Promise<Record<string, number>> {
  const options = { headers: { 'X-Admin-Password': PASSWORD }, query: { state, limit: 200 } };
  const listed = await perch.request('/api/admin/notifications', options);
  return tally((await listOf<{ channel: string }>(listed)).items.map(({ channel }) => channel));
}

test('webhooks arrive while the mail server hangs', async () => {
  const ids = await atOnce(REPORTS, report);
  await eventually(async () => (await channelsOf('sent')).webhook === REPORTS);
  expect(told.toSorted()).toEqual(ids.toSorted());
  expect(await channelsOf('sent')).toEqual({ webhook: REPORTS });
  expect(await channelsOf('waiting')).toEqual({ email: REPORTS });
}, 120_000);
