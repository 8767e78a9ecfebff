import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { createS3BlobStore } from '../../../shared/adapters/blob/s3.ts';
import { newBlobKey } from '../../../shared/ids.ts';
import { useServers } from '../../servers.ts';
import { useStarted } from '../../started.ts';
import { readWhole } from './contract.ts';

setDefaultTimeout(120_000);
const LONG_READS = 192;
const LONG = 1_100_000;
const setting = useServers('S3_ENDPOINT');
const blobs = useStarted(() =>
  createS3BlobStore({
    endpoint: setting('S3_ENDPOINT'),
    region: setting('S3_REGION'),
    bucket: 'slow-readers',
    accessKey: setting('S3_ACCESS_KEY'),
    secretKey: setting('S3_SECRET_KEY'),
    timeoutMs: 20_000,
  }),
);

afterAll(() => blobs?.close());

test('readers of long ranges that stand still keep nobody from writing, and from reading what is short', async () => {
  const key = newBlobKey();
  await blobs.put(key, new Uint8Array(LONG).fill(7));
  const open = () => blobs.open(key, { start: 0, end: LONG - 1 });
  const openReads = await Promise.all(Array.from({ length: LONG_READS }, open));
  expect(openReads).not.toContain(null);
  const next = open();
  const other = newBlobKey();
  await blobs.put(other, new TextEncoder().encode('short'));
  expect(Buffer.from(await readWhole(blobs, other)).toString()).toBe('short');
  const part = await blobs.open(key, { start: 10, end: 19 });
  expect(await new Response(part?.body).bytes()).toEqual(new Uint8Array(10).fill(7));
  // A waiting long read starts when another one ends.
  await openReads[0]?.body.cancel();
  expect(await new Response((await next)?.body).bytes()).toHaveLength(LONG);
  for (const one of openReads.slice(1)) await one?.body.cancel();
});
