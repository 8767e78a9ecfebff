import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { listOf } from '../acceptance/support/admin-list.ts';
import { createClient, jsonOf } from '../acceptance/support/client.ts';
import { startMailServer } from '../acceptance/support/mail-server.ts';
import { startInstance } from '../instance.ts';
import { useRunning } from '../started.ts';
import { embeddedOf, killPerchAlone } from './embedded-process.ts';
import { until } from './waiting.ts';

setDefaultTimeout(240_000);

const PASSWORD = 'the operator of this Perch';
/** Longer than the lease of a message and its next attempt, in ms. */
const LEASE_LIMIT_MS = 120_000;

/** Whether whoever is sent a message says nothing to it. */
let isSilent = false;

const hooks: Array<{ id: string; body: string }> = [];
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 60,
  async fetch(request): Promise<Response> {
    hooks.push({ id: request.headers.get('webhook-id') ?? '', body: await request.text() });
    if (isSilent) await new Promise(() => undefined);
    return new Response(null, { status: 204 });
  },
});

const mailServer = await startMailServer(() => !isSilent);
const { mails } = mailServer;

const perch = useRunning(() =>
  startInstance({
    mode: 'embedded',
    joined: true,
    env: {
      ADMIN_PASSWORD: PASSWORD,
      NOTIFY_RETRY_SECONDS: '1',
      WEBHOOK_URL: `http://127.0.0.1:${receiver.port}/`,
      WEBHOOK_ALLOW_PRIVATE: 'true',
      WEBHOOK_SECRET: `whsec_${Buffer.from('0123456789abcdefghijklmnopqrstuv').toString('base64')}`,
      SMTP_URL: mailServer.url,
      EMAIL_FROM: 'perch@example.org',
      EMAIL_TO: 'abuse@example.org',
    },
  }),
);

afterAll(async () => {
  await receiver.stop(true);
  await mailServer.stop();
});

const client = createClient(() => perch.url);

async function report(description: string): Promise<string> {
  const json = { reportedUrl: `${perch.url}/public/nothing`, category: 'phishing', description };
  const reported = await client.request('/api/reports', { method: 'POST', json });
  return (await jsonOf<{ reportId: string }>(reported, 201)).reportId;
}

const hooksAbout = (reportId: string) => hooks.filter(({ body }) => body.includes(reportId));
const mailsAbout = (reportId: string) => mails.filter((mail) => mail.includes(reportId));
const mailIdOf = (mail = '') => /^Message-ID: <([^@>]+)/im.exec(mail)?.[1] ?? '';

/** Attempts that it took to send the messages about a report; none for one that is not sent. */
async function attemptsAbout(reportId: string): Promise<number[]> {
  const ids = [hooksAbout(reportId)[0]?.id ?? '', mailIdOf(mailsAbout(reportId)[0])];
  const options = { headers: { 'X-Admin-Password': PASSWORD }, query: { state: 'sent', limit: 50 } };
  const listed = await client.request('/api/admin/notifications', options);
  const { items } = await listOf<{ id: string; attempts: number }>(listed);
  return items.filter(({ id }) => ids.includes(id)).map(({ attempts }) => attempts);
}

test('messages whose process is killed before their receivers answer are sent again under the same ids', async () => {
  isSilent = true;
  const reportId = await report('Killed while it is told of.');
  await until('both are on their way', async () =>
    [hooksAbout(reportId), mailsAbout(reportId)].every(({ length }) => length === 1),
  );
  await killPerchAlone(perch);
  isSilent = false;
  await embeddedOf(perch).start();
  const isRepeated = async () => hooksAbout(reportId).length === 2 && mailsAbout(reportId).length === 2;
  await until('both are sent again', isRepeated, LEASE_LIMIT_MS);
  const [first, second] = hooksAbout(reportId);
  expect(first?.id).not.toBe('');
  expect(second).toEqual(first);
  const [firstMail, secondMail] = mailsAbout(reportId).map(mailIdOf);
  expect(firstMail).toStartWith('mail_');
  expect(secondMail).toBe(firstMail);
  await until('both count as sent', async () => (await attemptsAbout(reportId)).length === 2);
  expect(await attemptsAbout(reportId)).toEqual([2, 2]);
  expect([hooksAbout(reportId).length, mailsAbout(reportId).length]).toEqual([2, 2]);
});

test('receivers that never answer are given up, and asked again', async () => {
  isSilent = true;
  const reportId = await report('Never answered at first.');
  await until('both are on their way', async () =>
    [hooksAbout(reportId), mailsAbout(reportId)].every(({ length }) => length >= 1),
  );
  isSilent = false;
  await until('both are sent', async () => (await attemptsAbout(reportId)).length === 2);
  expect(Math.min(...(await attemptsAbout(reportId)))).toBeGreaterThanOrEqual(2);
  expect(new Set(hooksAbout(reportId).map(({ id }) => id)).size).toBe(1);
  expect(new Set(mailsAbout(reportId).map(mailIdOf)).size).toBe(1);
});
