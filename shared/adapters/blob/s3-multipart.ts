import type { FileHandle } from 'node:fs/promises';
import type { RequestOptions } from 'node:http';
import type { Client } from 'minio';
import { readExactly } from '../../read-exactly.ts';

/** Bytes of a part, and of a file that goes in one request. S3 wants at least 5 MB, and at most 10,000 parts. */
export const PART_BYTES = 8 * 1_048_576;

/** Times that a part is sent before the upload counts as failed: one slow answer of hundreds shall not end it. */
const PART_ATTEMPTS = 3;

/**
 * Longest the server may take to put the parts together, in ms: longer than for other requests, as it goes over all
 * of them.
 */
export const COMPLETE_LIMIT_MS = 120_000;

/** Whether a request of the client puts the parts of an upload together. */
export const isCompletion = ({ method, path }: RequestOptions): boolean =>
  method === 'POST' && path?.includes('?uploadId=') === true;

export interface MultipartTarget {
  client: Client;
  bucket: string;
  key: string;
  /** Bounds one request in time and words its failure; `limitMs` where the usual time is too short. */
  attempt<T>(work: Promise<T>, limitMs?: number): Promise<T>;
  /** Like `attempt`, for a request that may arrive twice: it is sent again when the connection is lost. */
  attemptResending<T>(send: () => Promise<T>, limitMs?: number): Promise<T>;
}

/**
 * Stores a file as an object of several parts, one in memory at a time. The object appears whole when the server has
 * put them together; an upload that fails is aborted as far as the server can be reached.
 * The client's own upload of streams does not abort, and goes on with what an earlier one left under the same key.
 */
export async function putInParts(target: MultipartTarget, file: FileHandle, size: number): Promise<void> {
  const { client, bucket, key, attempt, attemptResending } = target;
  const uploadID = await attemptResending(() => client.initiateNewMultipartUpload(bucket, key, {}));
  try {
    const etags: Array<{ part: number; etag: string }> = [];
    let room = Buffer.allocUnsafeSlow(PART_BYTES);
    for (let start = 0; start < size; start += PART_BYTES) {
      const length = Math.min(PART_BYTES, size - start);
      await readExactly(file, start, room.subarray(0, length));
      const part = {
        bucketName: bucket,
        objectName: key,
        uploadID,
        partNumber: etags.length + 1,
        headers: {},
      };
      const send = () => attempt(client.uploadPart(part, room.subarray(0, length)));
      const { etag } = await withRetries(send, () => {
        // The request that failed may still be reading the old one.
        room = Buffer.from(room);
      });
      etags.push({ part: part.partNumber, etag });
    }
    await attempt(client.completeMultipartUpload(bucket, key, uploadID, etags), COMPLETE_LIMIT_MS);
    const stored = await attemptResending(() => client.statObject(bucket, key));
    if (stored.size !== size) throw new Error(`${stored.size} of ${size} bytes were stored`);
  } catch (error) {
    // Also the object, where the server put it together and only its answer was lost.
    await Promise.allSettled([
      attemptResending(() => client.abortMultipartUpload(bucket, key, uploadID)),
      attemptResending(() => client.removeObject(bucket, key)),
    ]);
    throw error;
  }
}

async function withRetries<T>(work: () => Promise<T>, beforeNext: () => void): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === PART_ATTEMPTS) throw error;
      beforeNext();
    }
  }
}
