import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { inSeconds } from '../../../../../shared/wording/relative-time.ts';
import { language, publishing as texts } from '../../texts/page-language.ts';
import { asHeader } from '../header-text.ts';
import { type Refusal, reasonIn, reasonOf } from '../refusal.ts';
import type { Pair } from './pairs.ts';

/** The answer to a create. */
export interface Published {
  readonly namespace: string;
  readonly id: string;
  readonly url: string;
  readonly shortUrl: string;
  readonly ownerLink: string;
  readonly ownerToken: string;
  readonly title: string;
  readonly expiresAt: string;
  readonly result?: UploadResult;
}

/** How an upload went: see specification 3.7. */
export interface UploadResult {
  readonly action: string;
  readonly reason?: string;
  readonly extras?: {
    readonly localAssetRefs?: readonly string[];
    readonly rootRefs?: readonly string[];
    readonly storage?: readonly string[];
  };
}

/** A request that creates something. */
export interface Upload {
  readonly address: string;
  readonly body: FormData | string;
  /** Type of a text body. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The file that it publishes alone. */
  readonly file?: File;
  /** Keys that a store gets once it is there. */
  readonly further?: readonly Pair[];
}

export interface Watcher {
  /** `part` from 0 to 1; `null` when nobody knows. */
  showProgress(words: string, part: number | null): void;
  /** Is given what stops the upload. */
  onCancel(abort: () => void): void;
}

/** Creates of the same upload under one key make one item: see specification 3.4. */
export interface Credentials {
  readonly ownerToken: string | null;
  readonly idempotencyKey: string;
}

/** A refusal of the server, in words for the reader. */
export class Refused extends Error {
  /** Whether it is of this file alone: others may be accepted. */
  readonly isOfFile: boolean;

  constructor(status: number, answer: Refusal | null, retryAfter: string | null) {
    super(reasonOf(status, answer, retryAfter));
    const { code, details = [] } = answer ?? {};
    this.isOfFile =
      (OF_FILE.has(status) || code === 'CONTENT_BLOCKED') && details.every(({ field }) => FIELDS.has(field));
  }
}

const OF_FILE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Fields of the API whose faults are those of the file. */
const FIELDS: ReadonlySet<string> = new Set(['file', 'filename']);

/** A body of this size is sent in one go, so that its progress would only flicker. */
const SHOWN_BYTES = 65_536;

/**
 * Not `fetch`, which does not tell how much of a body has gone. An error's message has one issue a line, in words for
 * the reader.
 */
export function send(
  { address, body, type, headers = {}, file }: Upload,
  { ownerToken, idempotencyKey }: Credentials,
  { showProgress, onCancel }: Watcher,
): Promise<Published> {
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('Accept', 'application/json');
  request.setRequestHeader('Idempotency-Key', idempotencyKey);
  if (ownerToken !== null) request.setRequestHeader('X-Owner-Token', asHeader(ownerToken));
  if (type) request.setRequestHeader('Content-Type', type);
  for (const [header, value] of Object.entries(headers)) request.setRequestHeader(header, value);
  request.responseType = 'json';
  onCancel(() => request.abort());
  let hasArrived = false;
  const isShown = typeof body !== 'string' || body.length > SHOWN_BYTES;
  if (isShown) {
    const words = file === undefined ? texts.uploading : texts.uploadingFile(file.name);
    const startedAt = performance.now();
    showProgress(words, 0);
    request.upload.onprogress = ({ loaded, total }) => {
      const seconds = (performance.now() - startedAt) / 1000;
      showProgress(`${words}${progressText(loaded, total, seconds)}`, loaded / total);
    };
  }
  request.upload.onload = () => {
    hasArrived = true;
    if (isShown) showProgress(texts.storing, null);
  };
  return new Promise((resolve, reject) => {
    request.onload = () => {
      if (request.status === 201 && request.response) resolve(request.response as Published);
      else {
        const retryAfter = request.getResponseHeader('Retry-After');
        reject(new Refused(request.status, request.response as Refusal | null, retryAfter));
      }
    };
    request.onerror = () => reject(new Error(texts.unreachable));
    request.onabort = () => reject(new Error(hasArrived ? texts.cancelledLate : texts.cancelled));
    request.send(body);
  });
}

/** How much has gone, and, once that can be told, how long the rest takes. */
function progressText(loaded: number, total: number, seconds: number): string {
  const sizes = texts.sent(formatSize(loaded, language), formatSize(total, language));
  if (seconds < 2 || loaded === 0) return sizes;
  return `${sizes}, ${texts.left(inSeconds(Math.ceil(((total - loaded) * seconds) / loaded), language))}`;
}

/** Writes the keys of a new store that its create did not have. @throws Error which of them are not written, for the reader */
export async function writeKeys(
  { namespace, id, ownerToken }: Published,
  pairs: readonly Pair[],
  { showProgress, onCancel }: Watcher,
): Promise<void> {
  const cancelling = new AbortController();
  const { signal } = cancelling;
  onCancel(() => cancelling.abort());
  const headers = {
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'X-Owner-Token': asHeader(ownerToken),
  };
  for (const [n, { key, json }] of pairs.entries()) {
    showProgress(texts.writingKey(key), n / pairs.length);
    const path = `/api/kv/${namespace}/${id}/${encodeURIComponent(key)}`;
    const init = { method: 'PUT', headers, body: `{"value":${json}}`, signal };
    const response = await fetch(path, init).catch(() => {
      throw new Error(
        signal.aborted ? texts.keysCancelled(key) : texts.keyNotWritten(key, texts.unreachable),
      );
    });
    if (!response.ok) throw new Error(texts.keyNotWritten(key, await reasonIn(response)));
  }
}

/** A namespace that nobody has yet: its items are listed nowhere. @throws Error in words for the reader */
export async function randomNamespace(): Promise<string> {
  const response = await fetch('/api/namespace/random').catch(() => {
    throw new Error(texts.unreachable);
  });
  const answer = (await response.json().catch(() => null)) as (Refusal & { namespace?: string }) | null;
  if (response.ok && answer?.namespace) return answer.namespace;
  throw new Error(reasonOf(response.status, answer, response.headers.get('Retry-After')));
}
