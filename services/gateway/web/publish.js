// @ts-check

/**
 * @typedef {{ url: string, shortUrl: string, ownerToken: string, expiresAt: string }} Published
 * @typedef {{ message?: string, details?: { field: string, message: string }[] }} Failure
 */

const form = find('publish-form', HTMLFormElement);
const failure = find('publish-error', HTMLElement);
const result = find('publish-result', HTMLElement);
const submit = form.querySelector('button');

if (submit) submit.disabled = false;
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (submit) submit.disabled = true;
  failure.hidden = true;
  try {
    showPublished(await publish(new FormData(form)));
  } catch (error) {
    showFailure(error instanceof Error ? error.message.split('\n') : ['Something went wrong. Try again.']);
  } finally {
    if (submit) submit.disabled = false;
  }
});

/**
 * Rejects with an Error whose message has one fault a line, in words for the reader.
 *
 * @param {FormData} fields
 * @returns {Promise<Published>}
 */
async function publish(fields) {
  const title = String(fields.get('title') ?? '').trim();
  const body = {
    content: fields.get('content'),
    format: fields.get('format'),
    ttl: Number(fields.get('ttl')),
    ...(title && { title }),
  };
  /** @type {Response} */
  let response;
  try {
    response = await fetch('/api/html', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Error('The server cannot be reached. Check your connection and try again.');
  }
  const answer = await response.json().catch(() => null);
  if (!response.ok || !answer) throw new Error(explain(answer, response));
  return answer;
}

/**
 * @param {Failure | null} answer
 * @param {Response} response
 */
function explain(answer, response) {
  const lines = [answer?.message || `The server answered ${response.status}. Try again in a moment.`];
  for (const { field, message } of answer?.details ?? []) lines.push(`${field}: ${message}`);
  const seconds = Number(response.headers.get('Retry-After'));
  if (response.status === 429 && seconds > 0) lines.push(`You can try again ${inWords(seconds)}.`);
  return lines.join('\n');
}

/** @param {number} seconds */
function inWords(seconds) {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'always' });
  return seconds < 90 ? format.format(seconds, 'second') : format.format(Math.ceil(seconds / 60), 'minute');
}

/** @param {Published} page */
function showPublished(page) {
  setLink('result-url', page.url);
  setLink('result-short-url', page.shortUrl);
  find('result-token', HTMLElement).textContent = page.ownerToken;
  const expires = find('result-expires', HTMLTimeElement);
  expires.dateTime = page.expiresAt;
  expires.textContent = new Date(page.expiresAt).toLocaleString('en-GB', {
    dateStyle: 'long',
    timeStyle: 'short',
  });
  result.hidden = false;
  result.focus();
}

/** @param {string[]} lines */
function showFailure(lines) {
  failure.replaceChildren(
    ...lines.map((line) => {
      const paragraph = document.createElement('p');
      paragraph.textContent = line;
      return paragraph;
    }),
  );
  failure.hidden = false;
  failure.focus();
}

/**
 * @param {string} id
 * @param {string} address
 */
function setLink(id, address) {
  const link = find(id, HTMLAnchorElement);
  link.href = address;
  link.textContent = address;
}

/**
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} type
 * @returns {E}
 */
function find(id, type) {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return element;
}
