import { beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { readFile } from 'node:fs/promises';
import { createUnlockCookies } from '../../services/gateway/auth/unlock-proofs.ts';
import type { LiveItemRecord } from '../../shared/items/item-record.ts';
import { withDatabase } from '../faults/blob-audit.ts';
import { COOKIE_SECRET } from '../shared-instance.ts';
import { type Address, ownedBy, type Published, shortPath } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { NAVIGATION, publishFile } from './support/file-client.ts';
import { sharePerch } from './support/perch.ts';
import {
  archiveOf,
  embedded,
  publishSite,
  readSite,
  replaceSite,
  siteApiPath,
  unlock,
} from './support/site-client.ts';

const perch = sharePerch();

const FILES = { 'index.html': '<p>entry', 'site.css': 'p {}' };
const open = { headers: { 'X-Password': 'right' } };
const TICKET = /~(\d+\.[\w-]+)\//;

const protectedSite = (query = {}) => publishSite(perch, FILES, { ...open, query });
async function ticketOf(site: Address): Promise<string> {
  const cookie = await unlock(perch, site, 'right');
  const response = await perch.read(site, { headers: { ...NAVIGATION, Cookie: cookie } });
  return TICKET.exec(response.headers.get('Location') ?? '')?.[1] ?? '';
}
const readWith = (ticket: string, site: Address, headers: Record<string, string> = embedded('style')) =>
  readSite(perch.last, site, `~${ticket}/site.css`, { headers });

let site: Published;
let ticket = '';
beforeAll(async () => {
  site = await protectedSite();
  ticket = await ticketOf(site);
});

describe('a ticket', () => {
  test('opens its site on every gateway, for whoever has it', async () => {
    for (const headers of [{}, embedded('style'), NAVIGATION])
      expect((await readWith(ticket, site, headers)).status).toBe(200);
  });

  test('does not open another one', async () => {
    const other = await protectedSite();
    expect((await readWith(ticket, other)).status).toBe(403);
    expect((await readWith(await ticketOf(other), site)).status).toBe(403);
    expect((await readWith(await ticketOf(other), other)).status).toBe(200);
  });

  test('that was changed opens nothing', async () => {
    const [until = '', signature = ''] = ticket.split('.');
    const forged = [
      `${Number(until) + 1}.${signature}`,
      `${Number(until) - 1}.${signature}`,
      `99999999999.${signature}`,
      `${until}.${'A'.repeat(43)}`,
      `${until}.${signature.slice(0, -4)}AAAA`,
      `${until}.${signature}A`,
      `${until}.`,
      `.${signature}`,
      'x',
    ];
    for (const one of forged) expect([one, (await readWith(one, site)).status]).toEqual([one, 403]);
  });

  test('opens neither the API nor a change', async () => {
    const headers = { Cookie: `perch_unlock=${ticket}` };
    await expectError(
      await perch.request(siteApiPath(site), { method: 'DELETE', headers }),
      403,
      'OWNER_TOKEN_REQUIRED',
    );
    expect((await perch.request(`${siteApiPath(site)}/~${ticket}/files/site.css`)).status).toBe(404);
  });

  test('ends with its hour', async () => {
    const [row] = await withDatabase(
      perch.instance,
      (sql) => sql<Array<{ hash: string }>>`
        select password_hash as hash from items where namespace = ${site.namespace} and id = ${site.id}`,
    );
    const record = { ...site, passwordHash: row?.hash ?? '' } as unknown as LiveItemRecord;
    const ticketAt = (time: number): string => {
      setSystemTime(new Date(time));
      try {
        return createUnlockCookies(COOKIE_SECRET).ticket(record, { ticket: null, cookies: null });
      } finally {
        setSystemTime();
      }
    };
    const minutes = 60_000;
    expect((await readWith(ticketAt(Date.now()), site)).status).toBe(200);
    expect((await readWith(ticketAt(Date.now() - 58 * minutes), site)).status).toBe(200);
    expect((await readWith(ticketAt(Date.now() - 61 * minutes), site)).status).toBe(403);
  });

  test('that no longer opens is replaced for a person who has the cookie', async () => {
    const cookie = await unlock(perch, site, 'right');
    const old = `1.${'A'.repeat(43)}`;
    const headers = { ...NAVIGATION, Cookie: cookie };
    const response = await readSite(perch, site, `~${old}/index.html`, { headers });
    expect(response.status).toBe(303);
    const location = response.headers.get('Location') ?? '';
    expect(location).not.toContain(old);
    expect(location).toEndWith('/index.html');
    expect((await perch.request(location, { headers: embedded('image') })).status).toBe(200);
    const stranger = await readSite(perch, site, `~${old}/index.html`, { headers: NAVIGATION });
    expect([stranger.status, await stranger.text()]).toEqual([
      403,
      expect.stringContaining('type="password"'),
    ]);
  });

  test('outlives a replacement, and not the site', async () => {
    const query = { ns: 'ticketed', id: 'again' };
    const first = await protectedSite(query);
    const own = await ticketOf(first);
    await replaceSite(perch, first, archiveOf({ ...FILES, 'site.css': 'new' }));
    expect(await (await readWith(own, first)).text()).toBe('new');
    await perch.request(siteApiPath(first), { method: 'DELETE', ...ownedBy(first) });
    expect((await readWith(own, first)).status).toBe(404);
    const second = await protectedSite(query);
    expect((await readWith(own, second)).status).toBe(403);
  });

  test('is shown in no log', async () => {
    const written = async (): Promise<string> =>
      (await Promise.all(perch.instance.logFiles.map((file) => readFile(file, 'utf8')))).join('\n');
    await readWith(ticket, site);
    await perch.read(site, { query: { ticket } });
    await readSite(perch, site, `~${ticket}`);
    await readSite(perch, site, `%7E${ticket}/site.css`);
    await readSite(perch, site, 'the-last-of-them');
    await eventually(async () => (await written()).includes('the-last-of-them'));
    const log = await written();
    expect(log).toContain('~***');
    expect(log.split('\n').filter((line) => line.includes(ticket))).toEqual([]);
  });
});

describe('the viewer of a protected file', () => {
  const publish = () => publishFile(perch, 'film.txt', 'secret text', open);

  test('asks for the bytes with a ticket, which opens this file only', async () => {
    const picture = await publishFile(perch, 'a.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', open);
    const cookie = await unlock(perch, picture, 'right');
    const viewer = await perch.read(picture, { headers: { ...NAVIGATION, Cookie: cookie } });
    expect([viewer.status, viewer.headers.get('Cache-Control')]).toEqual([200, 'private, no-store']);
    const sources = [...(await viewer.text()).matchAll(/src="([^"]+)"/g)].map(([, source = '']) => source);
    const source = sources.find((one) => one.includes(shortPath(picture)))?.replaceAll('&amp;', '&') ?? '';
    const { pathname, search } = new URL(source, perch.url);
    for (const client of perch.clients) {
      const shown = await client.request(`${pathname}${search}`, { headers: embedded('image') });
      expect([shown.status, shown.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    }
    const other = await publish();
    const elsewhere = await perch.request(`${shortPath(other)}${search}`, { headers: embedded('image') });
    expect(elsewhere.status).toBe(403);
  });

  test('is not seen without the password', async () => {
    const file = await publish();
    const asked = await perch.read(file, { headers: NAVIGATION });
    const page = await asked.text();
    expect([asked.status, page.includes('type="password"')]).toEqual([403, true]);
    for (const secret of ['secret text', 'film.txt']) expect(page).not.toContain(secret);
  });
});
