// @ts-check

/**
 * @typedef {{ url: string, shortUrl: string, ownerToken: string, expiresAt: string }} Published
 * @typedef {{ message?: string, details?: { field: string, message: string }[] }} Failure
 * @typedef {{ address: string, body: FormData | string, type?: string }} Upload
 * @typedef {object} Watcher
 * @property {(words: string, part: number | null) => void} showProgress a part from 0 to 1; `null` when nobody knows
 * @property {(abort: () => void) => void} onCancel is given what stops the upload
 */

/**
 * Not `fetch`, which does not tell how much of a body has gone. An error's message has one fault a line, in words for
 * the reader.
 *
 * @param {Upload} upload
 * @param {Watcher} watcher
 * @param {ReadonlyMap<string, string>} labels what the reader knows the fields of the API as
 * @returns {Promise<Published>}
 */
export function send({ address, body, type }, { showProgress, onCancel }, labels) {
  const request = new XMLHttpRequest();
  request.open('POST', address);
  request.setRequestHeader('Accept', 'application/json');
  if (type) request.setRequestHeader('Content-Type', type);
  request.responseType = 'json';
  onCancel(() => request.abort());
  if (typeof body !== 'string') {
    showProgress('Uploading', 0);
    request.upload.onprogress = ({ loaded, total }) => showProgress('Uploading', loaded / total);
    request.upload.onload = () => showProgress('Checking and storing', null);
  }
  return new Promise((resolve, reject) => {
    request.onload = () => {
      if (request.status === 201 && request.response) resolve(request.response);
      else reject(new Error(explain(request.response, request, labels)));
    };
    request.onerror = () =>
      reject(
        new Error(
          'The server cannot be reached, or the upload broke off. Check your connection and try again.',
        ),
      );
    request.onabort = () => reject(new Error('Cancelled. Nothing was published.'));
    request.send(body);
  });
}

/**
 * @param {Failure | null} answer
 * @param {XMLHttpRequest} request
 * @param {ReadonlyMap<string, string>} labels
 */
function explain(answer, request, labels) {
  const faults = (answer?.details ?? []).map(
    ({ field, message }) => `${labels.get(field) ?? field}: ${message}`,
  );
  const message = answer?.message || `The server answered ${request.status}. Try again in a moment.`;
  const lines = faults.length > 0 ? faults : [message];
  const seconds = Number(request.getResponseHeader('Retry-After'));
  if (request.status === 429 && seconds > 0) lines.push(`You can try again ${inWords(seconds)}.`);
  return lines.join('\n');
}

/** @param {number} seconds */
function inWords(seconds) {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
  return seconds < 90 ? format.format(seconds, 'second') : format.format(Math.ceil(seconds / 60), 'minute');
}
