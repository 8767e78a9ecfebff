import { expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { auditBlobs } from '../faults/blob-audit.ts';
import { mutations } from '../hostile/archives.ts';
import { jsonOf, ownedBy } from './support/client.ts';
import { atOnce, eventually } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { encodeForm, FORM_TYPE } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import {
  archiveOf,
  type PublishedSite,
  postArchive,
  publishSite,
  readSite,
  recordOf,
  siteApiPath,
} from './support/site-client.ts';
import { openConnection } from './support/socket.ts';

const perch = usePerch({ env: { BLOB_GRACE_SECONDS: '14', SWEEP_INTERVAL_SECONDS: '1' } });

/** Uploads at once. */
const WIDTH = 4;

type Mutation = (typeof mutations)[number];

const sortedPaths = (paths: string[]): string[] => paths.toSorted();

/** Refused cleanly, or exactly the site that the archive was of. */
async function expectRefusedOrWhole({ name, origin, build }: Mutation): Promise<'refused' | 'whole'> {
  const response = await postArchive(perch, build());
  if (response.status !== 201) {
    const { code } = (await response.clone().json()) as { code: string };
    expect([name, ['VALIDATION_FAILED', 'TOO_LARGE'].includes(code)]).toEqual([name, true]);
    await expectError(response, 400, code);
    return 'refused';
  }
  const site = await jsonOf<PublishedSite>(response, 201);
  const { files } = await recordOf(perch, site);
  expect([name, files.map(({ path }) => path)]).toEqual([name, sortedPaths(Object.keys(origin.files))]);
  for (const [path, content] of Object.entries(origin.files)) {
    const bytes = await (await readSite(perch, site, path)).bytes();
    expect([name, path, Bun.hash(bytes)]).toEqual([name, path, Bun.hash(content)]);
  }
  await perch.request(siteApiPath(site), { method: 'DELETE', ...ownedBy(site) });
  return 'whole';
}

test('a damaged archive is refused cleanly or becomes exactly the site it was', async () => {
  const waiting = [...mutations];
  const outcomes: string[] = [];
  await atOnce(WIDTH, async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
      outcomes.push(await expectRefusedOrWhole(next));
  });
  expect(outcomes).toHaveLength(mutations.length);
  expect(outcomes).toContain('refused');
}, 180_000);

test('a client that goes away in the middle leaves nothing behind', async () => {
  const noise = crypto.getRandomValues(new Uint8Array(60_000));
  const archive = archiveOf({
    'index.html': 'x',
    'a.bin': new Uint8Array(900_000).map((_, n) => noise[n % 60_000] ?? 0),
  });
  const body = encodeForm([{ name: 'archive', filename: 'a.zip', content: archive }]);
  await atOnce(8, async (n) => {
    const connection = await openConnection(perch.url);
    const head = [
      `POST /api/sites?ns=broken-sites&id=site-${n} HTTP/1.1`,
      ...['Host: perch', 'User-Agent: PerchAcceptance/1.0', `Content-Type: ${FORM_TYPE}`],
      ...[`Content-Length: ${body.length}`, '', ''],
    ];
    await connection.send(head.join('\r\n'));
    await connection.send(body.subarray(0, Math.floor((body.length * (n + 1)) / 9)));
    await Bun.sleep(20);
    connection.destroy();
  });
  for (let n = 0; n < 8; n++) {
    const response = await perch.read({ namespace: 'broken-sites', id: `site-${n}` });
    expect(response.status).toBe(404);
  }
  const site = await publishSite(
    perch,
    { 'index.html': 'x' },
    { query: { ns: 'broken-sites', id: 'site-0' } },
  );
  expect((await readSite(perch, site, '')).status).toBe(200);
});

test('after all of them nothing lies on the disk or in the store but what sites refer to', async () => {
  const { mode, dir, env } = perch.instance;
  const folder = mode === 'embedded' ? join(dir, 'uploads') : (env.UPLOAD_DIR ?? '');
  await eventually(async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries.every((entry) => entry.isDirectory());
  });
  await eventually(async () => {
    const { orphans, missing } = await auditBlobs(perch.instance);
    return orphans.length + missing.length === 0;
  });
});
