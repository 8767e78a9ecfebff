import { beforeAll, describe, expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { atDepth } from '../depth.ts';
import { auditBlobs } from '../faults/blob-audit.ts';
import { hostileArchives } from '../hostile/archives.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { usePerch } from './support/perch.ts';
import { type GatewayMemory, measureGateway } from './support/process-memory.ts';
import { postArchive, postSiteForm, publishSite, readSite } from './support/site-client.ts';

const perch = usePerch({ env: { BLOB_GRACE_SECONDS: '14', SWEEP_INTERVAL_SECONDS: '1' } });

const MAX_GROWTH_BYTES = 300 * 1_048_576;

/** Files in the folder of uploads under way, without the folders of the processes themselves. */
async function uploadsLeft(): Promise<string[]> {
  const { env, mode, dir } = perch.instance;
  const folder = mode === 'embedded' ? join(dir, 'uploads') : (env.UPLOAD_DIR ?? '');
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

let memory: GatewayMemory;
beforeAll(async () => {
  await publishSite(perch, { 'index.html': 'so that what every upload needs is there' });
  memory = await measureGateway(perch.instance);
});

describe('a hostile archive', () => {
  test('has many kinds', () => {
    expect(hostileArchives.length).toBeGreaterThan(100);
  });

  for (const [n, { name, expected, build }] of hostileArchives.entries()) {
    // The unit tests of the reader take all of them.
    if (n % atDepth(5, 20, 1) !== 0) continue;
    test(`is refused: ${name}`, async () => {
      const archive = build();
      const response = await (n % 2 === 0
        ? postArchive(perch, archive)
        : postSiteForm(perch, [{ name: 'archive', filename: 'site.zip', content: archive }]));
      const { message } = await expectError(response, expected.status, expected.code);
      expect(message.length).toBeLessThan(1_000);
      expect(message).not.toContain(perch.instance.dir);
    });
  }
});

describe('after all of them', () => {
  test('and many of them at once, the gateway answers', async () => {
    const large = hostileArchives.filter(({ name }) => name.includes('bomb') || name.includes('100,000'));
    await atOnce(24, async (n) => {
      const archive = large[n % large.length];
      if (archive === undefined) return;
      const response = await postArchive(perch, archive.build());
      if (response.status === 503) expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      else await expectError(response, archive.expected.status, archive.expected.code);
    });
    const site = await publishSite(perch, { 'index.html': '<p>still here' });
    expect(await (await readSite(perch, site, '')).text()).toBe('<p>still here');
  });

  test('its memory has stayed small', async () => {
    expect(await memory.peakGrowth()).toBeLessThan(MAX_GROWTH_BYTES);
  });

  test('nothing of an upload lies on the disk', async () => {
    await eventually(async () => (await uploadsLeft()).length === 0);
  });

  test('nothing is in the store but what sites refer to', async () => {
    await eventually(async () => {
      const { orphans, missing } = await auditBlobs(perch.instance);
      return orphans.length + missing.length === 0;
    });
  });
});
