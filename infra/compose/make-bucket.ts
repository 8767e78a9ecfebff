import { loadConfig, type S3Config } from '../../shared/config.ts';
import { ownEnvironment } from '../environment.ts';
import { makeScopedBucket } from '../minio/scoped-bucket.ts';
import { orEnd } from '../or-end.ts';

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

await orEnd((async () => await makeScopedBucket(root(), s3Of({})))());
