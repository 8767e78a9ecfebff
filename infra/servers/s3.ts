import type { Command } from './debian.ts';
import { minioPath, startMinio } from './minio.ts';
import type { Server } from './server.ts';
import { startSwift, swiftCommands } from './swift.ts';

export type S3Server = Server & { endpoint: string; accessKey: string; secretKey: string; region: string };

/** Commands that `startS3` needs installed: MinIO is used where it is there, and never installed. */
export const s3Commands = (): readonly Command[] => (minioPath() === null ? swiftCommands : []);

/** An S3 server on a loopback port, its objects in `dir`: MinIO where there is one, else OpenStack Swift. */
export async function startS3(options: { dir: string; port?: number }): Promise<S3Server> {
  const minio = minioPath();
  return minio === null ? await startSwift(options) : await startMinio(minio, options);
}
