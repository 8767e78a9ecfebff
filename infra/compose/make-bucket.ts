import { strToU8, zipSync } from 'fflate';
import { Client } from 'minio';
import type { S3Config } from '../../shared/config/stores.ts';
import { loadConfig } from '../../shared/config.ts';
import { orEnd } from '../command-line.ts';
import { ownEnvironment } from '../environment.ts';

/**
 * Makes the bucket of S3_BUCKET on a MinIO server, and the user of S3_ACCESS_KEY that may use this bucket and nothing else.
 * MINIO_ROOT_USER and MINIO_ROOT_PASSWORD, or the files that these with _FILE name, are the server's own. May run again.
 */
const environment = ownEnvironment();
const s3Of = (names: Record<string, string | undefined>): S3Config => {
  const { s3 } = loadConfig({ ...environment, ...names }, ['S3_ENDPOINT']);
  if (s3 === null) throw new Error('S3_ENDPOINT is missing');
  return s3;
};
const root = (): S3Config =>
  s3Of({
    S3_ACCESS_KEY: environment.MINIO_ROOT_USER,
    S3_ACCESS_KEY_FILE: environment.MINIO_ROOT_USER_FILE,
    S3_SECRET_KEY: environment.MINIO_ROOT_PASSWORD,
    S3_SECRET_KEY_FILE: environment.MINIO_ROOT_PASSWORD_FILE,
  });

/** Actions that services (shared/adapters/blob/s3.ts) and the backup tools take on their bucket. */
const BUCKET_ACTIONS = ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads'];
const OBJECT_ACTIONS = [
  's3:GetObject',
  's3:PutObject',
  's3:DeleteObject',
  's3:AbortMultipartUpload',
  's3:ListMultipartUploadParts',
];

/**
 * Makes the bucket on a MinIO server, and a user whose rights end at this bucket. An existing bucket and user stay, but
 * the user's key becomes the given one. `root` signs in as the server's root user.
 * @throws Error when the server does not answer or refuses
 */
async function makeScopedBucket(root: S3Config, scoped: S3Config): Promise<void> {
  const { bucket, region } = scoped;
  const client = clientOf(root);
  if (!(await client.bucketExists(bucket))) await client.makeBucket(bucket, region);
  // The server's administration has an address of its own, and signatures as S3 has them.
  const answer = await client.makeRequestAsync(
    { method: 'PUT', bucketName: 'minio', objectName: 'admin/v3/import-iam' },
    Buffer.from(identities(scoped)),
    [200],
    region,
  );
  answer.resume();
}

function clientOf({ endpoint, accessKey, secretKey, region }: S3Config): Client {
  const { hostname, port, protocol } = new URL(endpoint);
  const useSSL = protocol === 'https:';
  return new Client({
    endPoint: hostname,
    useSSL,
    accessKey,
    secretKey,
    region,
    pathStyle: true,
    port: port === '' ? (useSSL ? 443 : 80) : Number(port),
  });
}

/** Users, policies and which goes with which, as `mc admin cluster iam import` sends them. */
function identities({ bucket, accessKey, secretKey }: S3Config): Uint8Array {
  const policy = `perch-${bucket}`;
  const files = {
    policies: {
      [policy]: {
        Version: '2012-10-17',
        Statement: [
          { Effect: 'Allow', Action: BUCKET_ACTIONS, Resource: [`arn:aws:s3:::${bucket}`] },
          { Effect: 'Allow', Action: OBJECT_ACTIONS, Resource: [`arn:aws:s3:::${bucket}/*`] },
        ],
      },
    },
    users: { [accessKey]: { secretKey, status: 'enabled' } },
    user_mappings: { [accessKey]: { version: 1, policy } },
  };
  return zipSync(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [
        `iam-assets/${name}.json`,
        strToU8(JSON.stringify(content)),
      ]),
    ),
  );
}

// Behind all constants that it reads.
await orEnd((async () => await makeScopedBucket(root(), s3Of({})))());
