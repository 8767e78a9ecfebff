import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client as S3 } from 'minio';
import type { Instance } from '../../instance.ts';

/** How many blobs an instance's store holds, seen from outside of Perch. */
export async function countBlobs({ mode, dir, env }: Instance): Promise<number> {
  if (mode === 'embedded') {
    const entries = await readdir(join(dir, 'content', 'blobs'), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).length;
  }
  const endpoint = new URL(env.S3_ENDPOINT ?? '');
  const store = new S3({
    endPoint: endpoint.hostname,
    port: Number(endpoint.port),
    useSSL: endpoint.protocol === 'https:',
    accessKey: env.S3_ACCESS_KEY ?? '',
    secretKey: env.S3_SECRET_KEY ?? '',
    region: env.S3_REGION ?? 'us-east-1',
    pathStyle: true,
  });
  let count = 0;
  for await (const _ of store.listObjectsV2(env.S3_BUCKET ?? '', '', true)) count += 1;
  return count;
}
