import { open } from 'node:fs/promises';
import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Readable } from 'node:stream';
import { Client, S3Error } from 'minio';
import { within } from '../../deadline.ts';
import { errors } from '../../errors.ts';
import type { Logger } from '../../logger.ts';
import { PerchError } from '../../perch-error.ts';
import { assertBlobKey, assertRange, BLOB_KEY, type BlobStore, LONG_READS } from '../../ports/blob-store.ts';
import { readExactly } from '../../read-exactly.ts';
import {
  COMPLETE_LIMIT_MS,
  isCompletion,
  type MultipartTarget,
  PART_BYTES,
  putInParts,
} from './s3-multipart.ts';
import { createS3Transport, resendIfLost } from './s3-transport.ts';

export interface S3BlobStoreOptions {
  /** Scheme, host and port, such as `http://127.0.0.1:9000`. */
  endpoint: string;
  accessKey: string;
  secretKey: string;
  /** Made when missing. */
  bucket: string;
  region: string;
  /** Milliseconds the server may leave a request, or the reader of a body, without an answer. */
  timeoutMs?: number;
  log?: Logger;
}

const NOT_ABORTED =
  'the key of the S3 server lacks s3:ListBucketMultipartUploads or s3:AbortMultipartUpload: uploads that a killed process left stay there';

/** Connections of a process. Long reads have theirs, so that what is quickly over never waits for them. */
const SOCKETS = { longReads: LONG_READS.maxAtOnce, rest: 256 };

/**
 * Blobs as objects of one S3 bucket. A put is one request, a large file a multipart upload: the object is there whole or
 * not at all. A server that has the whole request may still store it after the put has timed out.
 */
export async function createS3BlobStore(options: S3BlobStoreOptions): Promise<BlobStore> {
  const { bucket, region, timeoutMs = 10_000, log } = options;
  const { hostname, port, protocol } = new URL(options.endpoint);
  const secure = protocol === 'https:';
  const createAgent = (maxSockets: number): Agent =>
    secure ? new SecureAgent({ keepAlive: true, maxSockets }) : new Agent({ keepAlive: true, maxSockets });
  const agents = { longReads: createAgent(SOCKETS.longReads), rest: createAgent(SOCKETS.rest) };
  const createClient = (transportAgent: Agent): Client =>
    new Client({
      endPoint: hostname,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      useSSL: secure,
      accessKey: options.accessKey,
      secretKey: options.secretKey,
      region,
      pathStyle: true,
      transport: createS3Transport(secure, (request) =>
        isCompletion(request) ? COMPLETE_LIMIT_MS : timeoutMs,
      ),
      transportAgent,
      // Two hosts that retry for seconds would hold a request past its deadline; the callers decide.
      retryOptions: { disableRetry: true },
    });
  const client = createClient(agents.rest);
  const longReads = createClient(agents.longReads);

  const attempt = async <T>(work: Promise<T>, limitMs = timeoutMs): Promise<T> => {
    try {
      return await within(work, limitMs, () => new Error(`no answer in ${limitMs} ms`));
    } catch (error) {
      if (isMissing(error) || hasCode(error, 'InvalidRange')) throw error;
      throw isFull(error)
        ? errors.storageFull('content store', error)
        : errors.unavailable('content store', error);
    }
  };

  const attemptResending: MultipartTarget['attemptResending'] = (send, limitMs = timeoutMs) =>
    attempt(resendIfLost(send, limitMs), limitMs);

  await makeBucket(client, bucket, region, attemptResending);

  const put = async (key: string, bytes: Uint8Array): Promise<void> => {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    await attemptResending(() => client.putObject(bucket, key, buffer, buffer.length));
  };
  /** Removes what a process that was killed during `putFile` left on the server: no listing of objects shows it. */
  const abortUnfinished = async (key: string): Promise<void> => {
    // The client's own search asks with an empty delimiter, which Swift takes for one.
    const { uploads } = await attemptResending(() =>
      client.listIncompleteUploadsQuery(bucket, key, '', '', '/'),
    );
    const ids = uploads.filter((upload) => upload.key === key).map(({ uploadId }) => uploadId);
    await Promise.all(ids.map((id) => attemptResending(() => client.abortMultipartUpload(bucket, key, id))));
  };
  let isDenialTold = false;
  /** A key without the rights to do so removes blobs all the same; rules of the bucket can end what is left then. */
  const abortIfAllowed = async (key: string): Promise<void> => {
    try {
      await abortUnfinished(key);
    } catch (error) {
      if (!(error instanceof PerchError && hasCode(error.cause, 'AccessDenied'))) throw error;
      if (!isDenialTold) log?.warn({ error }, NOT_ABORTED);
      isDenialTold = true;
    }
  };

  return {
    async put(key, bytes) {
      assertBlobKey(key);
      await put(key, bytes);
    },
    async putFile(key, path) {
      assertBlobKey(key);
      const file = await open(path, 'r');
      try {
        const { size } = await file.stat();
        if (size > PART_BYTES)
          await putInParts({ client, bucket, key, attempt, attemptResending }, file, size);
        else await put(key, await readExactly(file, 0, Buffer.allocUnsafeSlow(size)));
      } catch (error) {
        throw error instanceof PerchError ? error : errors.unavailable('content store', error);
      } finally {
        await file.close();
      }
    },
    async open(key, range) {
      assertBlobKey(key);
      if (range !== undefined) assertRange(range);
      const bytes = range === undefined ? 0 : range.end - range.start + 1;
      const reads = bytes > LONG_READS.aboveBytes ? longReads : client;
      let isLate = false;
      const ask = async (): Promise<Readable> => {
        const stream = await (range === undefined
          ? reads.getObject(bucket, key)
          : reads.getPartialObject(bucket, key, range.start, bytes));
        // Nobody would read it, and it would hold its socket.
        if (isLate) stream.destroy();
        return stream;
      };
      try {
        const stream = await attemptResending(ask);
        const { size, length } = measure(stream);
        if (range !== undefined && range.end >= size) {
          stream.destroy();
          assertRange(range, size);
        }
        return { size, body: toWeb(stream, length, timeoutMs) };
      } catch (error) {
        isLate = true;
        if (isMissing(error)) return null;
        if (hasCode(error, 'InvalidRange')) throw new RangeError('the range is not within the blob');
        throw error;
      }
    },
    async remove(keys) {
      for (const key of keys) assertBlobKey(key);
      await Promise.all(
        keys.map(async (key) => {
          const removeObject = () => attemptResending(() => client.removeObject(bucket, key));
          for (const step of [removeObject, () => abortIfAllowed(key)]) {
            try {
              await step();
            } catch (error) {
              if (!isMissing(error)) throw error;
            }
          }
        }),
      );
    },
    async *list() {
      const objects = client.listObjectsV2(bucket, '', true)[Symbol.asyncIterator]();
      for (;;) {
        const next = await attempt(objects.next());
        if (next.done) return;
        const { name = '' } = next.value;
        if (BLOB_KEY.test(name)) yield name;
      }
    },
    async check() {
      const exists = await attemptResending(() => client.bucketExists(bucket), 2_000);
      if (!exists) throw errors.unavailable('content store', new Error(`the bucket ${bucket} is gone`));
    },
    async close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

async function makeBucket(
  client: Client,
  bucket: string,
  region: string,
  attemptResending: MultipartTarget['attemptResending'],
): Promise<void> {
  if (await attemptResending(() => client.bucketExists(bucket))) return;
  try {
    await attemptResending(() => client.makeBucket(bucket, region));
  } catch (error) {
    // Another process may have made it between the two calls.
    if (!(await attemptResending(() => client.bucketExists(bucket)))) throw error;
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof S3Error && error.code === code;

const MISSING = new Set(['NoSuchKey', 'NotFound', 'NoSuchObject', 'NoSuchUpload']);

/** Servers differ in their codes. */
const isMissing = (error: unknown): boolean => error instanceof S3Error && MISSING.has(error.code ?? '');

/** Error codes of servers without room, or of a bucket at its quota: MinIO, Ceph, and the name of HTTP's 507. */
const FULL = new Set(['XMinioStorageFull', 'QuotaExceeded', 'InsufficientStorage']);

/** Swift and others answer 503 instead, as when they are away. */
const isFull = (error: unknown): boolean => error instanceof S3Error && FULL.has(error.code ?? '');

/** Size of the whole blob, and how much of it the answer holds. */
function measure(stream: Readable): { size: number; length: number } {
  const { headers = {} } = stream as Readable & { headers?: Record<string, string | undefined> };
  const length = Number(headers['content-length']);
  const whole = headers['content-range']?.split('/')[1];
  const size = whole === undefined ? length : Number(whole);
  if (Number.isSafeInteger(length) && Number.isSafeInteger(size)) return { size, length };
  stream.destroy();
  throw errors.unavailable('content store', new Error('a blob without a length'));
}

/** A body that fails, instead of waiting or ending early, when the server is lost on the way. */
function toWeb(stream: Readable, length: number, timeoutMs: number): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = stream[Symbol.asyncIterator]();
  let left = length;
  return new ReadableStream({
    async pull(controller) {
      try {
        const next = await within(chunks.next(), timeoutMs, () => new Error(`no data in ${timeoutMs} ms`));
        if (!next.done) {
          left -= next.value.length;
          controller.enqueue(next.value);
        } else if (left === 0) controller.close();
        else throw new Error(`the body ended ${left} bytes early`);
      } catch (error) {
        stream.destroy();
        throw errors.unavailable('content store', error);
      }
    },
    cancel() {
      stream.destroy();
    },
  });
}
