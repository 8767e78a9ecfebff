// @ts-check
import { belongsToSite, filesOf } from './dropped-files.js';
import { find } from './elements.js';
import { retireResults, showResult } from './publish-results.js';
import { send } from './upload.js';

/**
 * @typedef {import('./dropped-files.js').ChosenFile} ChosenFile
 * @typedef {import('./upload.js').Upload} Upload
 */

const form = find('publish-form', HTMLFormElement);
const submit = form.querySelector('button[type=submit]');
const failure = find('publish-error', HTMLElement);
const progress = find('publish-progress', HTMLElement);
const phase = find('publish-phase', HTMLElement);
const bar = find('publish-bar', HTMLProgressElement);
const cancel = find('publish-cancel', HTMLButtonElement);

/** The files last dropped or chosen, by kind. */
const chosen = { file: /** @type {ChosenFile[]} */ ([]), site: /** @type {ChosenFile[]} */ ([]) };

/** Labels in this form of the API's fields. */
const LABELS = new Map([
  ['content', 'Content'],
  ['file', 'File'],
  ['filename', 'File name'],
  ['archive', 'ZIP'],
  ['files', 'Folder'],
  ['paths', 'Folder'],
  ['title', 'Title'],
  ['format', 'Format'],
  ['entry', 'First file'],
  ['ttl', 'Keep for'],
  ['password', 'Password'],
  ['body', 'Upload'],
]);

/** Makes the upload of each kind. An error's message has one fault a line, in words for the reader. */
const uploads = {
  /** @param {FormData} fields @returns {Upload} */
  page: (fields) => ({
    address: '/api/html',
    type: 'application/json',
    body: JSON.stringify({
      content: fields.get('content'),
      format: fields.get('format'),
      password: fields.get('password'),
    }),
  }),
  /** @param {FormData} fields @returns {Upload} */
  file(fields) {
    const [only, ...others] = chosen.file;
    if (!only) throw new Error('Choose a file first.');
    if (others.length > 0)
      throw new Error('Choose one file. Several files with a page among them are a site.');
    const body = formWithPassword(fields);
    body.append('file', only.file, only.file.name);
    return { address: '/api/files', body };
  },
  /** @param {FormData} fields @returns {Upload} */
  site(fields) {
    const [first, ...others] = chosen.site;
    if (!first) throw new Error('Choose a ZIP or a folder first.');
    const body = formWithPassword(fields);
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
  retireResults();
  try {
    showResult(await publish(new FormData(form)));
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
    LABELS,
  );
}

/**
 * Starts a form body with the password: never in an address, which gets logged, nor in a header, which cannot carry every
 * character.
 *
 * @param {FormData} fields
 */
function formWithPassword(fields) {
  const form = new FormData();
  form.append('password', String(fields.get('password') ?? ''));
  return form;
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
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  return bytes < 1_048_576 ? `${Math.round(bytes / 1024)} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`;
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
