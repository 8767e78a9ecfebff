import { Client } from 'minio';
import { loadConfig } from '../../shared/config.ts';

/** Runs in a container of the project, and says what the services' key for S3 may do. */
const { s3 } = loadConfig();
if (s3 === null) throw new Error('S3_ENDPOINT is missing');
const { bucket, region, accessKey, secretKey } = s3;
const { hostname, port } = new URL(s3.endpoint);
const client = new Client({
  endPoint: hostname,
  port: Number(port),
  useSSL: false,
  accessKey,
  secretKey,
  region,
});
const key = 'probe';

const attempts: Record<string, () => Promise<unknown>> = {
  bucket: () => client.bucketExists(bucket),
  put: () => client.putObject(bucket, key, Buffer.from('x')),
  get: () => client.statObject(bucket, key),
  list: () => client.listObjectsV2(bucket, '', true).toArray(),
  remove: () => client.removeObject(bucket, key),
  makeBucket: () => client.makeBucket(`${bucket}-another`, region),
  removeBucket: () => client.removeBucket(bucket),
  policy: () => client.setBucketPolicy(bucket, '{}'),
  async admin() {
    const request = { method: 'GET', bucketName: 'minio', objectName: 'admin/v3/info' };
    const answer = await client.makeRequestAsync(request, '', [200, 403], region);
    answer.resume();
    if (answer.statusCode === 403) throw Object.assign(new Error('refused'), { code: 'AccessDenied' });
  },
};

const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(attempts)) {
  outcomes[name] = await attempt().then(
    () => 'done',
    (error: unknown) => String((error as { code?: string }).code ?? error),
  );
}
process.stdout.write(JSON.stringify(outcomes));
