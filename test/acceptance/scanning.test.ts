import { describe, expect, test } from 'bun:test';
import { eicar, startClamd } from '../../infra/servers/clamd.ts';
import { freePort } from '../../infra/servers/port.ts';
import { startOwn } from '../servers.ts';
import { ADMIN, ADMIN_PASSWORD } from '../shared-instance.ts';
import { useStarted } from '../started.ts';
import { type Client, jsonOf, ownedBy, type Published, raw, shortPath } from './support/client.ts';
import { atOnce, eventually, fresh } from './support/concurrency.ts';
import { BROWSER } from './support/console.ts';
import { expectError } from './support/errors.ts';
import { postFile } from './support/file-client.ts';
import { usePerch } from './support/perch.ts';
import {
  type Quarantine,
  release,
  rescan,
  type Started,
  scansOf,
  startRescan,
  toldOwner,
} from './support/quarantine.ts';
import { archiveOf, postArchive, readSite, siteApiPath } from './support/site-client.ts';

const SIGNATURE = 'Eicar-Test.UNOFFICIAL';

const port = await freePort();
const env = {
  ADMIN_PASSWORD,
  CLAMD_URL: `tcp://127.0.0.1:${port}`,
  RESCAN_PER_SECOND: '1000',
  SCAN_MAX_BYTES: '3000000',
};
const processes = { gateways: 2, contents: 2, sites: 2 };

const EICAR = { name: 'Eicar-Test', part: eicar() };

const clamd = useStarted(
  () => startOwn(({ dir }) => startClamd({ dir, port, signatures: [EICAR] })),
  ({ end }) => end(),
);

/** A text that has the signature in it. */
const infected = (around: string): string => `${around}${new TextDecoder().decode(eicar())}${around}`;

type Uploaded = Published & { quarantine?: Quarantine };

/** Creates of every kind whose content is looked through, of a text in them. */
const UPLOADS: Array<[name: string, upload: (client: Client, text: string) => Promise<Response>]> = [
  ['page', (client, text) => client.post(raw(`<p>${text}`, 'text/html'))],
  ['markdown page', (client, text) => client.post(raw(`# ${text}`, 'text/markdown'))],
  ['text file', (client, text) => postFile(client, `${fresh('notes')}.txt`, text)],
  [
    'document',
    (client, text) => client.request('/api/json', { method: 'POST', json: { text: JSON.stringify(text) } }),
  ],
  ['site', (client, text) => postArchive(client, archiveOf({ 'index.html': '<p>front', 'a/b.txt': text }))],
];

describe('before a create is answered', () => {
  const perch = usePerch({ ...processes, env });

  test.each(UPLOADS.filter(([name]) => name !== 'document'))(
    'a %s with malware is kept, and nobody but its owner reads it; one without it is published',
    async (name, upload) => {
      const item = await jsonOf<Uploaded>(await upload(perch, infected(' ')), 201);
      const told = { cause: 'malware', verdict: SIGNATURE, part: name === 'site' ? 'a/b.txt' : null };
      expect(item.quarantine).toMatchObject(told);
      if (item.result !== undefined)
        expect(item.result).toMatchObject({ code: 'warned', action: 'created_warned' });
      for (const client of perch.clients) {
        await expectError(await client.read(item), 451, 'QUARANTINED');
        expect((await client.request(shortPath(item), { headers: BROWSER })).status).toBe(451);
      }
      expect(await toldOwner(perch.last, item)).toMatchObject(told);

      const clean = await jsonOf<Uploaded>(await upload(perch, 'clean'), 201);
      expect(clean).not.toHaveProperty('quarantine');
      const path = name === 'site' ? `${shortPath(clean)}/` : shortPath(clean);
      for (const client of perch.clients) expect((await client.request(path)).status).toBe(200);
    },
  );

  test('an update is looked through like a create, and a clean one ends the quarantine', async () => {
    const page = await perch.publish('<p>first');
    const put = (text: string) =>
      perch.request(`/api/html${shortPath(page)}`, {
        method: 'PUT',
        ...raw(text, 'text/html', ownedBy(page)),
      });
    expect(await jsonOf(await put(infected('<p>')))).toMatchObject({ quarantine: { verdict: SIGNATURE } });
    for (const client of perch.clients) await expectError(await client.read(page), 451, 'QUARANTINED');
    expect(await jsonOf<object>(await put('<p>second'))).not.toHaveProperty('quarantine');
    for (const client of perch.clients) expect(await (await client.read(page)).text()).toContain('second');
  });

  test('of uploads at once each gets its own verdict', async () => {
    const answers = await atOnce(30, (n) =>
      perch.publish(n % 2 === 0 ? infected(`<p>${n}`) : `<p>clean ${n}`),
    );
    const found = await Promise.all(answers.map(async (page) => (await perch.read(page)).status));
    expect(found).toEqual(answers.map((_, n) => (n % 2 === 0 ? 451 : 200)));
  });

  test('what is larger than the scanner takes waits for the operator', async () => {
    const item = await jsonOf<Uploaded>(
      await postFile(perch, `${fresh('large')}.txt`, 'x'.repeat(3_000_001)),
      201,
    );
    expect(item.quarantine).toMatchObject({ cause: 'unscannable' });
    expect(await jsonOf(await release(perch, item))).toMatchObject({ state: 'live' });
    expect((await perch.read(item)).status).toBe(200);
    await rescan(perch);
    expect((await perch.read(item)).status).toBe(200);
  });

  test('stores are not looked through: their values are data that no browser opens as anything else', async () => {
    const store = await jsonOf<Published>(
      await perch.request('/api/kv', { method: 'POST', json: { key: 'k', value: 1 } }),
      201,
    );
    const put = { method: 'PUT', json: { value: infected('') }, ...ownedBy(store) };
    expect((await perch.request(`/api/kv${shortPath(store)}/key`, put)).status).toBeLessThan(300);
  });

  test('new signatures find what is stored, on every gateway at once, and nothing that was released', async () => {
    const text = `yesterday clean ${fresh('x')}`;
    const page = await perch.publish(`<p>${text}`);
    const released = await perch.publish(infected('<p>released'));
    await release(perch, released);
    await clamd.stop();
    await clamd.learn([EICAR, { name: 'New', part: new TextEncoder().encode(text) }]);
    await clamd.start();
    const run = await rescan(perch);
    expect(run.scanner).toStartWith('ClamAV');
    expect(run.scanned).toBe(run.queued);
    for (const client of perch.clients) {
      await expectError(await client.read(page), 451, 'QUARANTINED');
      expect((await client.read(released)).status).toBe(200);
    }
    expect(await toldOwner(perch, page)).toMatchObject({ verdict: 'New.UNOFFICIAL' });
  });

  test('while the scanner is away nothing is published, reads and stores go on, and the service is ready', async () => {
    const page = await perch.publish('<p>before');
    await clamd.stop();
    try {
      for (const [, upload] of UPLOADS) {
        const refused = await upload(perch, 'clean');
        expect(refused.headers.get('Retry-After')).toBe('30');
        await expectError(refused, 503, 'UNAVAILABLE');
      }
      expect((await perch.read(page)).status).toBe(200);
      expect((await perch.request('/api/kv', { method: 'POST', json: { key: 'k', value: 1 } })).status).toBe(
        201,
      );
      const ready = await perch.request('/readyz');
      expect(ready.status).toBe(200);
      expect(await ready.json()).toMatchObject({ dependencies: { scanner: 'down' } });
      expect(await scansOf(perch)).toMatchObject({ scanner: 'down', mode: 'before', whenAway: 'hold' });
    } finally {
      await clamd.start();
    }
    expect((await perch.publish('<p>after')).namespace).toBe('public');
    expect(await (await perch.request('/readyz')).json()).toMatchObject({ dependencies: { scanner: 'up' } });
  });
});

describe('behind a create, held back until then', () => {
  const perch = usePerch({ ...processes, env: { ...env, SCAN_MODE: 'behind' } });

  test.each(UPLOADS)('a %s is for its owner alone until it was looked through', async (name, upload) => {
    clamd.pause();
    let item: Uploaded;
    try {
      item = await jsonOf<Uploaded>(await upload(perch, 'clean'), 201);
      expect(item.quarantine).toMatchObject({ cause: 'unscanned', verdict: '' });
      const early = await perch.last.read(item);
      expect(Number(early.headers.get('Retry-After'))).toBeGreaterThan(0);
      await expectError(early, 503, 'BEING_CHECKED');
    } finally {
      clamd.resume();
    }
    const path = name === 'site' ? `${shortPath(item)}/` : shortPath(item);
    await eventually(async () => (await perch.request(path)).status === 200);
    for (const client of perch.clients) expect((await client.request(path)).status).toBe(200);
  });

  test('malware never becomes public, and what waited for a scanner that was away is looked through after', async () => {
    await clamd.stop();
    const [bad, good] = await Promise.all([perch.publish(infected('<p>')), perch.publish('<p>good')]);
    await expectError(await perch.read(good), 503, 'BEING_CHECKED');
    await clamd.start();
    await eventually(async () => (await perch.last.read(good)).status === 200);
    await eventually(async () => (await perch.last.read(bad)).status === 451);
    await eventually(async () => (await scansOf(perch)).waiting === 0);
  });

  test('the operator may release what waits', async () => {
    clamd.pause();
    try {
      const page = await perch.publish('<p>waiting');
      expect(await jsonOf(await release(perch, page))).toMatchObject({ state: 'live' });
      expect((await perch.read(page)).status).toBe(200);
    } finally {
      clamd.resume();
    }
  });
});

describe('let pass while the scanner is away', () => {
  const perch = usePerch({ ...processes, env: { ...env, SCAN_WHEN_AWAY: 'pass' } });

  test('content is public at once, and goes into quarantine when the scanner is back and finds something', async () => {
    await clamd.stop();
    const pages = await atOnce(10, (n) => perch.publish(n === 3 ? infected('<p>') : `<p>clean ${n}`));
    for (const page of pages) expect((await perch.read(page)).status).toBe(200);
    const site = await jsonOf<Published>(
      await postArchive(perch, archiveOf({ 'index.html': infected('<p>') })),
      201,
    );
    expect((await readSite(perch, site, '')).status).toBe(200);
    await clamd.start();
    await eventually(async () => (await scansOf(perch)).waiting === 0);
    const found = await Promise.all(pages.map(async (page) => (await perch.last.read(page)).status));
    expect(found).toEqual(pages.map((_, n) => (n === 3 ? 451 : 200)));
    await expectError(await readSite(perch.last, site, ''), 451, 'QUARANTINED');
    const record = await perch.request(siteApiPath(site), ownedBy(site));
    expect(await jsonOf(record)).toMatchObject({ quarantine: { cause: 'malware', part: 'index.html' } });
    const metrics = await (await perch.request('/metrics', { headers: ADMIN })).text();
    if (perch.instance.mode === 'embedded') {
      expect(metrics).toMatch(/^scans_total\{[^}]*result="found"[^}]*\} [1-9]/m);
      expect(metrics).toMatch(/^dependency_up\{[^}]*dependency="scanner"[^}]*\} 1/m);
    }
  });
});

describe('with RESCAN_EVERY_HOURS', () => {
  const perch = usePerch({ ...processes, env: { ...env, RESCAN_EVERY_HOURS: '1' } });

  test('a first rescan begins by itself, one over all processes, and none right after it', async () => {
    await eventually(async () => typeof (await scansOf(perch)).runs[0]?.finishedAt === 'string');
    const { run } = await jsonOf<Started>(await startRescan(perch));
    await eventually(
      async () =>
        typeof (await scansOf(perch)).runs.find(({ runId }) => runId === run.runId)?.finishedAt === 'string',
    );
    const { runs } = await scansOf(perch.last);
    expect(runs.map(({ startedBy }) => startedBy)).toEqual(['operator', 'schedule']);
  });
});
