/** The form of the home page. */
import { publishing as texts } from '../../texts/page-language.ts';
import { offerCopies } from '../copy.ts';
import { guardLeaving } from '../dialogs.ts';
import { find, within } from '../elements.ts';
import { type FormKind, formatOfFile, kindOfFiles, looksLikeZip } from '../publish/content-kinds.ts';
import { offerEditors, setFormat } from '../publish/editors.ts';
import { type ChosenFile, chosen, offerChoosing, takeDrops, takeFiles } from '../publish/files.ts';
import { offerPairs } from '../publish/pairs.ts';
import { requestsOf } from '../publish/requests.ts';
import { addWarning, retireResults, showAgain, showResult } from '../publish/results.ts';
import { type Attempts, sendAll } from '../publish/send-all.ts';
import { type Published, randomNamespace, type Upload, type Watcher, writeKeys } from '../publish/upload.ts';
import { keepPublished } from '../token-store.ts';

const form = find('publish-form', HTMLFormElement);
const submit = within(form, 'button[type=submit]', HTMLButtonElement);
const failure = find('publish-error', HTMLElement);
const progress = find('publish-progress', HTMLElement);
const phase = find('publish-phase', HTMLElement);
const bar = find('publish-bar', HTMLProgressElement);
const cancel = find('publish-cancel', HTMLButtonElement);

/**
 * Counts the changes of the form. A form that is as it was is not published twice, nor are files that were published beside
 * one that failed. A request that is sent again after a failure has the idempotency key, the owner token and the namespace
 * of the first attempt, as that may have arrived.
 */
let version = 0;
let publishedVersion = -1;
let attempts: Attempts = new Map();
let unlisted: string | null = null;

/** The kind published last, and what was filled in for that item alone. */
let published: { readonly kind: FormKind; readonly fields: ReadonlyMap<HTMLInputElement, string> } | null =
  null;

function changed(): void {
  version += 1;
  attempts = new Map();
  unlisted = null;
}

form.addEventListener('input', () => {
  changed();
  hideFailure();
});
form.addEventListener('change', () => {
  changed();
  showKind();
});
// A browser that comes back to this page remembers what was filled in.
addEventListener('pageshow', showKind);
for (const kind of ['file', 'site'] as const) offerChoosing(kind);
// The files that stay are as they were: none that is published is sent again.
find('file-list', HTMLElement).addEventListener('click', ({ target }) => {
  if (!(target instanceof HTMLButtonElement)) return;
  version += 1;
  hideFailure();
});
offerEditors(form);
offerPairs();
offerCopies(document);
takeDrops({ onFiles, onUnreadable: () => showFailure([texts.unreadable]) });
submit.disabled = false;
// A form that a browser has filled in again has seen no change.
guardLeaving(() => version > 0 && version !== publishedVersion && hasText());

// A browser sends nothing then, and says why only beside a field that is in sight. The event does not bubble.
form.addEventListener(
  'invalid',
  ({ target }) => {
    const folded = target instanceof Element ? target.closest('details') : null;
    if (folded !== null) folded.open = true;
  },
  true,
);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (version === publishedVersion) {
    showAgain(texts.again);
    return;
  }
  submit.disabled = true;
  hideFailure();
  retireResults();
  const sent = version;
  const own = { kind: currentKind(), fields: new Map(ownFields().map((field) => [field, field.value])) };
  try {
    if (!(await publish())) showAgain(texts.again);
    publishedVersion = sent;
    published = own;
  } catch (error) {
    showFailure(error instanceof Error ? error.message.split('\n') : [texts.somethingWrong]);
  } finally {
    progress.hidden = true;
    submit.disabled = false;
  }
});

const watcher: Watcher = {
  showProgress(words, part) {
    if (phase.textContent !== words) phase.textContent = words;
    if (part === null) bar.removeAttribute('value');
    else bar.value = part;
    progress.hidden = false;
  },
  onCancel(abort) {
    cancel.onclick = abort;
  },
};

/** Publishes what is in the form. @returns whether anything was sent: all may be published already */
async function publish(): Promise<boolean> {
  const fields = new FormData(form);
  // A change of the form meanwhile begins others.
  const own = attempts;
  const kind = currentKind();
  if (kind === 'site') await refuseWhatIsNoZip();
  if (fields.get('visibility') === 'unlisted') unlisted ??= await randomNamespace();
  return sendAll(requestsOf(kind, fields, unlisted), own, watcher, show);
}

/** Shows what has been published, and writes what has to follow it. */
async function show(item: Published, upload: Upload): Promise<void> {
  const isKept = await keepPublished(item.ownerToken);
  const warning = await writeRest(item, upload);
  showResult(item, upload.file?.name ?? item.title, isKept);
  if (warning !== null) addWarning(warning);
}

/** The store is there already when one of its further keys cannot be written: that is a warning of its result. */
async function writeRest(item: Published, { further = [] }: Upload): Promise<string | null> {
  try {
    await writeKeys(item, further, watcher);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : texts.somethingWrong;
  }
}

/** @throws Error that says what a file is that was chosen as a ZIP */
async function refuseWhatIsNoZip(): Promise<void> {
  const [only, ...others] = chosen.site;
  if (only === undefined || others.length > 0 || /\.html?$/i.test(only.path)) return;
  const start = new Uint8Array(await only.file.slice(0, 4).arrayBuffer());
  if (looksLikeZip(start)) return;
  if (/\.zip$/i.test(only.path)) throw new Error(texts.brokenZip(only.file.name));
  const [, type = ''] = /^(?:image|audio|video|application|text)\/(?:x-)?([\w-]+)/.exec(only.file.type) ?? [];
  throw new Error(texts.noZip(only.file.name, type.toUpperCase()));
}

/** Takes files from anywhere on the page, and shows the part of the form that is for them. */
function onFiles(files: ChosenFile[], wanted: FormKind | null): void {
  const isFolder = files.some(({ path }) => path.includes('/'));
  const described = files.map(({ path, file }) => ({ path, bytes: file.size }));
  const kind = wanted === 'site' || isFolder ? 'site' : (wanted ?? kindOfFiles(described));
  changed();
  hideFailure();
  const [first] = files;
  const field = fieldOf(kind);
  // A text that is there already is not replaced.
  if (field !== null && field.value === '' && first !== undefined) void readInto(field, kind, first);
  else {
    const taking = kind === 'site' ? 'site' : 'file';
    choose(taking);
    takeFiles(taking, files);
  }
}

/** Files can be chosen once more; what was written would be lost. */
const hasText = (): boolean =>
  [...form.querySelectorAll('textarea')].some((field) => field.value.trim() !== '');

const fieldOf = (kind: FormKind): HTMLTextAreaElement | null => {
  if (kind === 'page') return find('content', HTMLTextAreaElement);
  return kind === 'json' ? find('document', HTMLTextAreaElement) : null;
};

async function readInto(field: HTMLTextAreaElement, kind: FormKind, { file }: ChosenFile): Promise<void> {
  choose(kind);
  try {
    field.value = await file.text();
  } catch {
    return showFailure([texts.unreadable]);
  }
  const format = formatOfFile(file.name);
  if (format !== null) setFormat(format);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

function choose(kind: FormKind): void {
  find(`kind-${kind}`, HTMLInputElement).checked = true;
  showKind();
}

function currentKind(): FormKind {
  const kind = new FormData(form).get('kind');
  return kind === 'file' || kind === 'site' || kind === 'json' || kind === 'kv' ? kind : 'page';
}

function showKind(): void {
  const kind = currentKind();
  for (const part of form.querySelectorAll<HTMLFieldSetElement>('fieldset[data-kind]'))
    part.disabled = part.hidden = part.dataset.kind !== kind;
  if (published !== null && published.kind !== kind) forgetPublished(published.fields);
}

/** Fields whose texts are for one item alone. */
const ownFields = (): HTMLInputElement[] =>
  ['title', 'password', 'id'].map((id) => find(id, HTMLInputElement));

/** Clears what was for the item published last, and would be for one of another kind without a word. */
function forgetPublished(fields: ReadonlyMap<HTMLInputElement, string>): void {
  for (const [field, value] of fields) if (field.value === value) field.value = '';
  published = null;
}

function hideFailure(): void {
  failure.hidden = true;
}

function showFailure(lines: string[]): void {
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
