import postgres from 'postgres';
import { createClient, jsonOf, raw, shortPath } from '../acceptance/support/client.ts';
import { KINDS, publishKind } from '../acceptance/support/kinds.ts';
import { putKey } from '../acceptance/support/kv-client.ts';
import { archiveOf, postArchive } from '../acceptance/support/site-client.ts';
import { until } from '../faults/waiting.ts';
import type { Instance } from '../instance.ts';

/** Reads a minute that a client of the instance must have. */
export const READS_PER_MINUTE = 40;

/** A client address that makes more. */
const CROWD = { 'X-Forwarded-For': '203.0.113.80' };

/** The numbers that the dashboards must show of this traffic. */
export const EXPECTED = { items: 13, listed: 5, reports: 1, limited: 30 };

/**
 * Real traffic of every sort that the dashboards tell apart, until all of it is in the database: items of each kind,
 * listed, elsewhere, protected and from a shell; reads, wrong passwords, missing addresses, changes, a report; a client so far
 * over its limit that some refusals share an entry; and creates that fail as their service is away.
 */
export async function fillDatabase({ url, services, env }: Instance): Promise<void> {
  const client = createClient(() => url);
  const asked: Array<Promise<Response>> = [];
  for (const kind of KINDS) {
    const listed = await publishKind(client, kind, 'text', { query: { title: `A ${kind.name} item` } });
    await publishKind(client, kind, 'text', { query: { ns: 'elsewhere' } });
    asked.push(client.request(`${shortPath(listed)}${kind.content.short}`));
    if (kind.name === 'kv') for (const value of [1, 2]) asked.push(putKey(client, listed, 'count', value));
  }
  for (const [method, path] of [
    ['PUT', '/report.html'],
    ['POST', '/api/html/'],
  ] as const)
    await jsonOf(
      await client.request(path, {
        method,
        ...raw(path, 'text/html', { query: { ns: 'elsewhere' }, headers: { Accept: 'application/json' } }),
      }),
      201,
    );
  const secret = await client.publish('<p>secret', { headers: { 'X-Password': 'open sesame' } });
  asked.push(client.read(secret), client.read(secret, { headers: { 'X-Password': 'wrong' } }));
  asked.push(client.request('/public/never-there'), client.request('/api/gallery'));
  const report = {
    reportedUrl: secret.url,
    category: 'spam',
    reporterEmail: 'someone@example.org',
    description: 'It advertises what nobody wants.',
  };
  await jsonOf(await client.request('/api/reports', { method: 'POST', json: report }), 201);
  for (let n = 0; n < READS_PER_MINUTE + EXPECTED.limited; n++)
    asked.push(client.request('/public/crowded', { headers: CROWD }));
  await Promise.all(asked);

  await services.sites[0]?.stop();
  const away = await postArchive(client, archiveOf({ 'index.html': '<p>late' }));
  if (away.status !== 503) throw new Error(`without its service a site got ${away.status}`);
  await services.sites[0]?.start();
  const last = await client.request('/api/html', { method: 'POST', ...raw('{', 'application/json') });
  await untilWritten(env.PG_URL ?? '', last.headers.get('X-Request-Id') ?? '');
}

/** Until the log has a request and all refusals, and the totals all that was created and viewed. */
async function untilWritten(database: string, requestId: string): Promise<void> {
  const sql = postgres(database, { max: 1, onnotice: () => undefined });
  try {
    await until('the last request is in the log', async () => {
      const found = await sql`select from access_entries where request_id = ${requestId}`;
      return found.count === 1;
    });
    await until('refusals that share an entry are in the log', async () => {
      const [refused] = await sql<Array<{ requests: number }>>`
        select sum(requests)::int as requests from access_log where status = 429`;
      return refused?.requests === EXPECTED.limited;
    });
    await until('items and views are in the totals', async () => {
      const [totals] = await sql<Array<{ created: number; views: number }>>`
        select sum(created)::int as created, sum(views)::int as views from item_totals`;
      return totals?.created === EXPECTED.items && totals.views >= EXPECTED.listed;
    });
  } finally {
    await sql.end({ timeout: 1 });
  }
}
