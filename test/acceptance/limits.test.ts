import { expect, test } from 'bun:test';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';

const perch = usePerch({
  env: {
    LIMIT_UPLOADS_PER_HOUR: '5',
    LIMIT_READS_PER_MINUTE: '50',
    LIMIT_CHANGES_PER_HOUR: '0',
    LIMIT_OWNER_TOKENS_PER_MINUTE: '2',
    LIMIT_PREVIEWS_PER_MINUTE: '3',
    SITE_MAX_BYTES: '1234567',
    LIMIT_WATCHERS_PER_CLIENT: '7',
  },
});

test('GET /api/limits tells every limit in force, and where the client stands', async () => {
  await perch.publish('<p>one');
  await perch.publish('<p>two');
  const response = await perch.request('/api/limits');
  expect(response.status).toBe(200);
  expect(response.headers.get('Cache-Control')).toBe('private, no-store');
  const { windows, ...fixed } = (await response.json()) as { windows: Array<Record<string, unknown>> };
  const [uploads, reads, changes, tokens, previews] = windows;
  expect(uploads).toMatchObject({ name: 'uploads', limit: 5, windowSeconds: 3_600, used: 2, remaining: 3 });
  expect(Number(uploads?.resetSeconds)).toBeGreaterThan(3_000);
  // Asking is a read.
  const remaining = Number(response.headers.get('RateLimit-Remaining'));
  expect(reads).toMatchObject({ name: 'reads', windowSeconds: 60, remaining });
  expect(changes).toMatchObject({ name: 'changes', limit: null, remaining: null, used: 0 });
  expect(tokens).toMatchObject({ name: 'tokens', limit: 2, windowSeconds: 60, used: 0, remaining: 2 });
  expect(previews).toMatchObject({ name: 'previews', limit: 3, windowSeconds: 60, used: 0, remaining: 3 });
  expect(fixed).toMatchObject({
    wrongPasswords: { limit: 10, windowSeconds: 900 },
    sizes: { htmlBytes: 5_242_880, kvKeys: 1_000, siteBytes: 1_234_567 },
    ttlDays: { min: 1, max: 30, default: 15 },
    watchers: { limit: 7, waitSeconds: 30 },
  });
});

test('owner tokens by GET have a window of their own, exact also for requests at once', async () => {
  const answers = await atOnce(6, () => perch.request('/api/owner-token'));
  expect(tally(answers.map(({ status }) => status))).toEqual({ 200: 2, 429: 4 });
  const refused = await perch.request('/api/owner-token');
  expect(refused.headers.get('RateLimit-Limit')).toBe('2');
  await expectError(refused, 429, 'RATE_LIMITED');
  expect((await perch.request('/api/limits')).status).toBe(200);
  expect((await perch.request('/api/owner', { method: 'POST' })).status).toBe(201);
});
