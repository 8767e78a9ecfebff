import { expect, test } from 'bun:test';
import { auditBlobs } from '../faults/blob-audit.ts';
import { jsonOf } from './support/client.ts';
import { atOnce } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { filePart, type PublishedFile, publishFile } from './support/file-client.ts';
import { form } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import { measureGateway } from './support/process-memory.ts';
import { OF_SIZE, VIDEO_LIMIT } from './support/samples.ts';

// An upload of this crowd may take long, and may not outlive its reservation.
const perch = usePerch({ env: { BLOB_GRACE_SECONDS: '30' } });

const UPLOADS = 50;
/** Bodies that are held at once (docs/operations.md, "Memory"), and those that wait for the collector, which runs beside the requests. */
const MAX_GROWTH_BYTES = 640 * 1_048_576;

test('50 films of 20 MB at once from one client: each is taken or told to come back, in bounded memory', async () => {
  await publishFile(perch, 'first.txt', 'so that what every upload needs is there');
  const { filename, content } = OF_SIZE.video(VIDEO_LIMIT);
  const options = form([filePart(filename, content)]);
  const memory = await measureGateway(perch.instance);
  const taken: PublishedFile[] = [];
  await atOnce(UPLOADS, async () => {
    const response = await perch.request('/api/files', { method: 'POST', ...options });
    if (response.status === 201) {
      taken.push(await jsonOf<PublishedFile>(response, 201));
      return;
    }
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    await expectError(response, 503, 'UNAVAILABLE');
  });
  expect(taken.length).toBeGreaterThan(0);
  const small = await publishFile(perch, 'small.txt', 'works at once');
  expect(await (await perch.read(small)).text()).toBe('works at once');
  const film = taken.at(-1);
  if (film !== undefined) expect(Bun.hash(await (await perch.read(film)).bytes())).toBe(Bun.hash(content));
  expect(await memory.peakGrowth()).toBeLessThan(MAX_GROWTH_BYTES);
  expect(await auditBlobs(perch.instance)).toMatchObject({ orphans: [], missing: [] });
}, 120_000);
