import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ownEnvironment } from '../environment.ts';
import { answersOk } from './answers.ts';
import { type Command, ensureCommands } from './debian.ts';
import { freePort } from './port.ts';
import { createChildServer, type Server } from './server.ts';
import { startSwift, swiftCommands } from './swift.ts';

export type S3Server = Server & { endpoint: string; accessKey: string; secretKey: string; region: string };

/** Commands that `startS3` needs installed: MinIO is used where it is there, and never installed. */
export const s3Commands = (): readonly Command[] => (minioPath() === null ? swiftCommands : []);

/** An S3 server on a loopback port, its objects in `dir`: MinIO where there is one, else OpenStack Swift. */
export async function startS3(options: { dir: string; port?: number }): Promise<S3Server> {
  const minio = minioPath();
  return minio === null ? await startSwift(options) : await startMinio(minio, options);
}

const CREDENTIALS = { accessKey: 'perch-tester', secretKey: 'perch-testing', region: 'us-east-1' } as const;

/**
 * The MinIO server to use, or `null`: what MINIO_BIN names, else `minio` in the path. With an empty MINIO_BIN there is
 * none.
 */
export function minioPath(environment = ownEnvironment()): string | null {
  const { MINIO_BIN: given, PATH = '' } = environment;
  if (given === undefined) return Bun.which('minio', { PATH });
  if (given === '') return null;
  if (!existsSync(given)) throw new Error(`MINIO_BIN is ${given}, where there is no file`);
  return resolve(given);
}

/** MinIO on one folder, on a loopback port and without its console. */
async function startMinio(minio: string, options: { dir: string; port?: number }): Promise<S3Server> {
  await ensureCommands(['setpriv']);
  const dir = resolve(options.dir);
  const port = options.port ?? (await freePort());
  const data = join(dir, 'data');
  await mkdir(data, { recursive: true });
  const endpoint = `http://127.0.0.1:${port}`;
  const server = createChildServer({
    name: 'S3 (MinIO)',
    port,
    command: [minio, 'server', '--address', `127.0.0.1:${port}`, '--certs-dir', join(dir, 'certs'), data],
    workingDirectory: dir,
    logFile: join(dir, 'server.log'),
    env: {
      MINIO_ROOT_USER: CREDENTIALS.accessKey,
      MINIO_ROOT_PASSWORD: CREDENTIALS.secretKey,
      MINIO_REGION: CREDENTIALS.region,
      MINIO_BROWSER: 'off',
      // Without this, MinIO asks for newer releases at every start.
      MINIO_UPDATE: 'off',
    },
    // Whether it can write its objects; that it lives it says earlier.
    isReady: () => answersOk(`${endpoint}/minio/health/cluster`),
  });
  await server.start();
  return { ...server, endpoint, ...CREDENTIALS };
}
