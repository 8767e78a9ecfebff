// @ts-check
import { belongsToSite, filesOf } from './dropped-files.js';
import { send } from './upload.js';

/**
 * @typedef {import('./upload.js').Published} Published
 * @typedef {import('./dropped-files.js').ChosenFile} ChosenFile
 * @typedef {import('./upload.js').Upload} Upload
 */

const form = find('publish-form', HTMLFormElement);
const submit = form.querySelector('button[type=submit]');
const failure = find('publish-error', HTMLElement);
const result = find('publish-result', HTMLElement);
const progress = find('publish-progress', HTMLElement);
const phase = find('publish-phase', HTMLElement);
const bar = find('publish-bar', HTMLProgressElement);
const cancel = find('publish-cancel', HTMLButtonElement);

/** What was dropped or chosen last. */
const chosen = { file: /** @type {ChosenFile[]} */ ([]), site: /** @type {ChosenFile[]} */ ([]) };

/** What each kind sends. An error's message has one fault a line, in words for the reader. */
const uploads = {
  /** @param {FormData} fields @returns {Upload} */
  page: (fields) => ({
    address: '/api/html',
    type: 'application/json',
    body: JSON.stringify({ content: fields.get('content'), format: fields.get('format') }),
  }),
  /** @returns {Upload} */
  file() {
    const [only, ...others] = chosen.file;
    if (!only) throw new Error('Choose a file first.');
    if (others.length > 0)
      throw new Error('Choose one file. Several files with a page among them are a site.');
    const body = new FormData();
    body.append('file', only.file, only.file.name);
    return { address: '/api/files', body };
  },
  /** @returns {Upload} */
  site() {
    const [first, ...others] = chosen.site;
    if (!first) throw new Error('Choose a ZIP or a folder first.');
    const body = new FormData();
    if (others.length === 0 && /\.zip$/i.test(first.path)) body.append('archive', first.file);
    else
      for (const { file, path } of chosen.site) {
        body.append('paths', path);
        body.append('files', file);
      }
    return { address: '/api/sites', body };
  },
};

if (submit instanceof HTMLButtonElement) submit.disabled = false;
form.addEventListener('change', showKind);
// A browser that comes back to this page remembers what was filled in.
addEventListener('pageshow', showKind);
for (const kind of /** @type {const} */ (['file', 'site'])) takeFiles(kind);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (submit instanceof HTMLButtonElement) submit.disabled = true;
  failure.hidden = true;
  try {
    showPublished(await publish(new FormData(form)));
  } catch (error) {
    showFailure(error instanceof Error ? error.message.split('\n') : ['Something went wrong. Try again.']);
  } finally {
    progress.hidden = true;
    if (submit instanceof HTMLButtonElement) submit.disabled = false;
  }
});

/** @param {FormData} fields */
async function publish(fields) {
  const upload = uploads[kindOf(fields)](fields);
  const query = new URLSearchParams();
  for (const name of ['title', 'ttl', 'entry']) {
    const value = String(fields.get(name) ?? '').trim();
    if (value !== '') query.set(name, value);
  }
  return await send(
    { ...upload, address: `${upload.address}?${query}` },
    { showProgress, onCancel: (abort) => (cancel.onclick = abort) },
  );
}

/**
 * @param {string} words
 * @param {number | null} part from 0 to 1; `null` when nobody knows
 */
function showProgress(words, part) {
  if (phase.textContent !== words) phase.textContent = words;
  if (part === null) bar.removeAttribute('value');
  else bar.value = part;
  progress.hidden = false;
}

/** @param {FormData} fields */
function kindOf(fields) {
  const kind = fields.get('kind');
  return kind === 'file' || kind === 'site' ? kind : 'page';
}

function showKind() {
  const kind = kindOf(new FormData(form));
  for (const part of form.querySelectorAll('fieldset[id]')) {
    if (!(part instanceof HTMLFieldSetElement)) continue;
    part.disabled = part.hidden = !part.id.startsWith(`${kind}-`);
  }
}

/**
 * Files come from a field or are dropped beside it.
 *
 * @param {'file' | 'site'} kind
 */
function takeFiles(kind) {
  const zone = find(`${kind}-drop`, HTMLElement);
  const fields = zone.querySelectorAll('input');
  /** @param {ChosenFile[]} files @param {Element} [source] */
  const take = (files, source) => {
    for (const field of fields) if (field !== source) field.value = '';
    chosen[kind] = kind === 'site' ? files.filter(({ path }) => belongsToSite(path)) : files;
    failure.hidden = true;
    showChosen(find(`${kind}-chosen`, HTMLElement), chosen[kind]);
  };

  for (const field of fields)
    field.addEventListener('change', () => {
      const files = [...(field.files ?? [])];
      take(
        files.map((file) => ({ file, path: file.webkitRelativePath || file.name })),
        field,
      );
    });
  zone.addEventListener('dragover', (event) => {
    event.preventDefault();
    zone.classList.add('over');
  });
  zone.addEventListener('dragleave', () => zone.classList.remove('over'));
  zone.addEventListener('drop', async (event) => {
    event.preventDefault();
    zone.classList.remove('over');
    try {
      take(await filesOf(event.dataTransfer));
    } catch {
      showFailure(['What you dropped cannot be read. Choose it with the button instead.']);
    }
  });
}

/**
 * @param {HTMLElement} place
 * @param {ChosenFile[]} files
 */
function showChosen(place, files) {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const [name, ...below] = files[0]?.path.split('/') ?? [];
  const count = files.length === 1 ? '' : `${files.length} files`;
  const words = [below.length > 0 || count === '' ? name : '', count, inBytes(bytes)];
  place.textContent = files.length > 0 ? words.filter(Boolean).join(', ') : 'There is no file in it.';
  place.hidden = false;
}

/** @param {number} bytes */
function inBytes(bytes) {
  if (bytes < 1024) return `${bytes} bytes`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
}

/** @param {Published} item */
function showPublished(item) {
  setLink('result-url', item.url);
  setLink('result-short-url', item.shortUrl);
  find('result-token', HTMLElement).textContent = item.ownerToken;
  const expires = find('result-expires', HTMLTimeElement);
  expires.dateTime = item.expiresAt;
  expires.textContent = new Date(item.expiresAt).toLocaleString('en-GB', {
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
