import { afterAll, describe, expect, test } from 'bun:test';
import { createHmac } from 'node:crypto';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { listOf } from './support/admin-list.ts';
import { jsonOf } from './support/client.ts';
import { atOnce, eventually, tally } from './support/concurrency.ts';
import { startMailServer } from './support/mail-server.ts';
import { usePerch } from './support/perch.ts';

const KEY = Buffer.from('0123456789abcdefghijklmnopqrstuv');

interface Delivery {
  id: string;
  type: string;
  data: Record<string, unknown>;
  isSigned: boolean;
}

const received: Delivery[] = [];

/** Statuses that messages with this text get first. A redirect is none that has arrived, and is not followed. */
const FAILING = { text: 'It fails to arrive at first.', answers: [307, 500] };

const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request): Promise<Response> {
    const body = await request.text();
    const [id = '', at = ''] = ['webhook-id', 'webhook-timestamp'].map(
      (name) => request.headers.get(name) ?? '',
    );
    const expected = createHmac('sha256', KEY).update(`${id}.${at}.${body}`).digest('base64');
    const isSigned =
      request.headers.get('webhook-signature') === `v1,${expected}` &&
      Math.abs(Date.now() / 1_000 - Number(at)) < 60;
    received.push({ id, isSigned, ...(JSON.parse(body) as Pick<Delivery, 'type' | 'data'>) });
    const status = (body.includes(FAILING.text) ? FAILING.answers.shift() : undefined) ?? 204;
    const headers = { Location: '/elsewhere' };
    return new Response(status === 204 ? null : 'x'.repeat(100_000), { status, headers });
  },
});

const mailServer = await startMailServer();
const { mails } = mailServer;

const env = {
  ADMIN_PASSWORD,
  TRUST_PROXY: '1',
  LIMIT_UPLOADS_PER_HOUR: '0',
  REPORTS_TO_HIDE: '2',
  WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/hook`,
  WEBHOOK_ALLOW_PRIVATE: 'true',
  WEBHOOK_SECRET: `whsec_${KEY.toString('base64')}`,
  NOTIFY_RETRY_SECONDS: '1',
  NOTIFY_ATTEMPTS: '2',
  SMTP_URL: mailServer.url,
  EMAIL_FROM: 'perch@example.org',
  EMAIL_TO: 'abuse@example.org',
};
const perch = usePerch({ gateways: 2, analytics: 2, env });

afterAll(async () => {
  await receiver.stop(true);
  await mailServer.stop();
});

async function report(description: string, from: string, id = 'nothing'): Promise<string> {
  const json = { reportedUrl: `${perch.url}/public/${id}`, category: 'phishing', description };
  const options = { method: 'POST', json, headers: { 'X-Forwarded-For': from } };
  return (await jsonOf<{ reportId: string }>(await perch.request('/api/reports', options), 201)).reportId;
}

const about = (reportId: string): Delivery[] => received.filter(({ data }) => data.reportId === reportId);

const messages = async (state: string) => {
  const options = { headers: ADMIN, query: { state, limit: 200 } };
  const response = await perch.last.request('/api/admin/notifications', options);
  return await listOf<{
    id: string;
    channel: string;
    type: string;
    attempts: number;
    lastError: string | null;
  }>(response);
};

describe('a report', () => {
  test('comes by a signed webhook and by e-mail, once, without who sent it', async () => {
    const reportId = await report('It asks for <my> password.\nGrüße', '198.51.100.9');
    await eventually(() => about(reportId).length === 1);
    expect(about(reportId)[0]).toMatchObject({
      type: 'report.created',
      isSigned: true,
      data: { category: 'phishing', item: { namespace: 'public', id: 'nothing' } },
    });
    expect(JSON.stringify(about(reportId))).not.toContain('198.51.100.9');
    await eventually(() => mails.some((mail) => mail.includes(reportId)));
    const [mail = ''] = mails.filter((one) => one.includes(reportId));
    for (const part of [
      'To: abuse@example.org',
      'Subject: Report (phishing): /public/nothing',
      'Message-ID: <mail_',
    ])
      expect(mail).toContain(part);
  });

  test('a hundred, many at once, come once each', async () => {
    const ids: string[] = [];
    while (ids.length < 100) {
      const done = ids.length;
      const more = atOnce(20, (n) => report(`It is number ${done + n} of many.`, `10.9.${done + n}.1`));
      ids.push(...(await more));
    }
    await eventually(() => ids.every((id) => about(id).length > 0));
    expect(tally(ids.map((id) => about(id).length))).toEqual({ 1: 100 });
  });
});

test('takedowns and items that reports hide come by webhook', async () => {
  const item = await perch.publish('<p>phishing', { headers: { 'X-Forwarded-For': '203.0.113.77' } });
  for (const n of [1, 2]) await report('It asks for my password.', `10.8.${n}.1`, item.id);
  const named = { namespace: 'public', id: item.id, type: 'html' };
  const told = (type: string): Delivery | undefined =>
    received.find((one) => one.type === type && JSON.stringify(one.data).includes(item.id));
  await eventually(() => told('item.hidden') !== undefined);
  expect(told('item.hidden')?.data).toEqual({ item: named, reporters: 2 });
  const json = { network: '203.0.113.77', reason: 'Phishing.' };
  const taken = await perch.request('/api/admin/takedowns', { method: 'POST', headers: ADMIN, json });
  expect(await jsonOf(taken)).toMatchObject({ removed: 1 });
  await eventually(() => told('items.taken_down') !== undefined);
  expect(told('items.taken_down')?.data).toEqual({ by: 'network', target: '203.0.113.77', items: [named] });
});

test('a failed message is tried again with its id, given up, and sent again from the console', async () => {
  const reportId = await report(FAILING.text, '10.7.0.1');
  await eventually(async () => (await messages('dead')).total === 1);
  const [dead] = (await messages('dead')).items;
  expect(dead).toMatchObject({ channel: 'webhook', attempts: 2, lastError: 'the receiver answered 500' });
  const ids = about(reportId).map(({ id }) => id);
  expect(ids).toEqual([dead?.id ?? '', dead?.id ?? '']);
  const page = await perch.request('/admin/notifications', {
    headers: { ...ADMIN, 'Accept-Language': 'de' },
  });
  expect(await page.text()).toContain('Noch einmal senden');
  const body = new URLSearchParams({ action: 'resend', id: dead?.id ?? '', back: '/admin/notifications' });
  const options = {
    method: 'POST',
    headers: { ...ADMIN, 'Content-Type': 'application/x-www-form-urlencoded' },
  };
  const sent = await atOnce(3, () =>
    perch.request('/admin/actions', { ...options, body: body.toString(), redirect: 'manual' }),
  );
  expect(tally(sent.map(({ status }) => status))).toEqual({ 303: 1, 404: 2 });
  await eventually(() => about(reportId).length === 3);
  await eventually(async () => (await messages('dead')).total === 0);
});
