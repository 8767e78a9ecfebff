import { inSeconds } from '../../../../shared/pages/relative-time.ts';
import { language, publishing as texts } from '../texts/page-language.ts';

/** The answer to a create. */
export interface Published {
  readonly url: string;
  readonly shortUrl: string;
  readonly ownerToken: string;
  readonly expiresAt: string;
}

/** What is sent to create something. */
export interface Upload {
  readonly address: string;
  readonly body: FormData | string;
  /** Of a text body. */
  readonly type?: string;
}

export interface Watcher {
  /** `part` from 0 to 1; `null` when nobody knows. */
  showProgress(words: string, part: number | null): void;
  /** Is given what stops the upload. */
  onCancel(abort: () => void): void;
}

interface Failure {
  readonly message?: string;
  readonly details?: ReadonlyArray<{ readonly field: string; readonly message: string }>;
}

/**
 * Not `fetch`, which does not tell how much of a body has gone. An error's message has one fault a line, in words for
 * the reader.
 */
export function send(
  { address, body, type }: Upload,
  { showProgress, onCancel }: Watcher,
): Promise<Published> {
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('Accept', 'application/json');
  if (type) request.setRequestHeader('Content-Type', type);
  request.responseType = 'json';
  onCancel(() => request.abort());
  if (typeof body !== 'string') {
    showProgress(texts.uploading, 0);
    request.upload.onprogress = ({ loaded, total }) => showProgress(texts.uploading, loaded / total);
    request.upload.onload = () => showProgress(texts.storing, null);
  }
  return new Promise((resolve, reject) => {
    request.onload = () => {
      if (request.status === 201 && request.response) resolve(request.response as Published);
      else reject(new Error(explain(request)));
    };
    request.onerror = () => reject(new Error(texts.unreachable));
    request.onabort = () => reject(new Error(texts.cancelled));
    request.send(body);
  });
}

function explain(request: XMLHttpRequest): string {
  const answer = request.response as Failure | null;
  const faults = (answer?.details ?? []).map(
    ({ field, message }) => `${texts.fields[field] ?? field}: ${message}`,
  );
  const message = answer?.message || texts.answered(request.status);
  const lines = faults.length > 0 ? faults : [message];
  const seconds = Number(request.getResponseHeader('Retry-After'));
  if (request.status === 429 && seconds > 0) lines.push(texts.retry(inSeconds(seconds, language)));
  return lines.join('\n');
}
