import { afterAll, expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../acceptance/support/client.ts';
import { rescan } from '../acceptance/support/quarantine.ts';
import { startInstance } from '../instance.ts';
import { ADMIN_PASSWORD } from '../shared-instance.ts';
import { useRunning } from '../started.ts';
import { accessibilityFaults } from './accessibility.ts';
import { useBrowser } from './browser.ts';
import { publish } from './publish.ts';

const visit = useBrowser();
const folder = await mkdtemp(join(tmpdir(), 'perch-links-'));
const list = join(folder, 'hosts.txt');
await writeFile(list, 'nobody.example\n');
afterAll(() => rm(folder, { recursive: true, force: true }));

const env = { ADMIN_PASSWORD, LINK_BLOCKLIST: list, RESCAN_PER_SECOND: '1000' };
const perch = useRunning(() => startInstance({ joined: true, env }));

/** As long as names of phishing pages are. */
const HOST = 'secure-login.account-verification.a-bank-with-a-long-name.example';

test('what a rescan finds is in quarantine for its readers, its owner and the operator, who releases it', async () => {
  const item = await publish(
    perch.url,
    `<!doctype html><title>Account</title><a href="https://${HOST}/">Sign in</a>`,
  );
  await writeFile(list, `nobody.example\nno host here\n${HOST}\n`);
  await rescan(createClient(() => perch.url));
  const sizes = [
    { width: 1280, height: 800 },
    { width: 360, height: 700 },
  ];
  for (const viewport of sizes) {
    const { page: reader } = await visit({ viewport });
    expect((await reader.goto(item.url))?.status()).toBe(451);
    expect(await reader.textContent('h1')).toBe('In quarantine');
    expect(await reader.textContent('body')).not.toContain(HOST);
    expect(await accessibilityFaults(reader)).toEqual([]);

    const { page: owner, complaints } = await visit({ viewport });
    await owner.goto(`${perch.url}/manage${item.path}#k=${item.ownerToken}`);
    await owner.waitForSelector(`.owned-quarantine:has-text("${HOST}")`);
    expect(await accessibilityFaults(owner)).toEqual([]);
    const [saved] = await Promise.all([
      owner.waitForEvent('download'),
      owner.click('.owned [data-action=download]'),
    ]);
    expect(await Bun.file(await saved.path()).text()).toContain(HOST);
    await owner.goto(`${perch.url}/mine#token=${item.ownerToken}`);
    await owner.click('#add-dialog button[value=ok]');
    await owner.waitForSelector(`.owned-quarantine:has-text("${HOST}")`);
    expect(await accessibilityFaults(owner)).toEqual([]);
    expect(complaints).toEqual([]);
  }
  for (const viewport of sizes) {
    const { page } = await visit({ viewport });
    await page.goto(`${perch.url}/admin/scans`);
    await page.fill('#password', ADMIN_PASSWORD);
    await page.click('main button[type=submit]');
    await page.waitForSelector('.console');
    expect(await page.textContent('main')).toContain('2 hosts 1 line names no host');
    expect(await page.textContent('tbody')).toContain(HOST);
    expect(await accessibilityFaults(page)).toEqual([]);
    if (viewport !== sizes.at(-1)) continue;
    await page.click('button[value="release"]');
    await page.waitForSelector('.notice.good');
    await page.waitForSelector('text=Nothing is in quarantine.');
    expect(await accessibilityFaults(page)).toEqual([]);
  }
  const { page: reader } = await visit();
  expect((await reader.goto(item.url))?.status()).toBe(200);
});
