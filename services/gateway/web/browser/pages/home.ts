import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { language, publishing as texts } from '../../texts/page-language.ts';
import { offerCopies } from '../copy.ts';
import { belongsToSite, type ChosenFile, filesOf } from '../dropped-files.ts';
import { find, within } from '../elements.ts';
import { retireResults, showResult } from '../publish-results.ts';
import { type Published, send, type Upload } from '../upload.ts';

const form = find('publish-form', HTMLFormElement);
const submit = within(form, 'button[type=submit]', HTMLButtonElement);
const failure = find('publish-error', HTMLElement);
const progress = find('publish-progress', HTMLElement);
const phase = find('publish-phase', HTMLElement);
const bar = find('publish-bar', HTMLProgressElement);
const cancel = find('publish-cancel', HTMLButtonElement);

/** The files last dropped or chosen, by kind. */
const chosen: Record<'file' | 'site', ChosenFile[]> = { file: [], site: [] };

/** Makes the upload of each kind. An error's message has one fault a line, in words for the reader. */
const uploads: Record<'page' | 'file' | 'site', (fields: FormData) => Upload> = {
  page: (fields) => ({
    address: '/api/html',
    type: 'application/json',
    body: JSON.stringify({
      content: fields.get('content'),
      format: fields.get('format'),
      password: fields.get('password'),
    }),
  }),
  file(fields) {
    const [only, ...others] = chosen.file;
    if (!only) throw new Error(texts.noFile);
    if (others.length > 0) throw new Error(texts.oneFile);
    const body = formWithPassword(fields);
    body.append('file', only.file, only.file.name);
    return { address: '/api/files', body };
  },
  site(fields) {
    const [first, ...others] = chosen.site;
    if (!first) throw new Error(texts.noSite);
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

offerCopies(document);
submit.disabled = false;
form.addEventListener('change', showKind);
// A browser that comes back to this page remembers what was filled in.
addEventListener('pageshow', showKind);
for (const kind of ['file', 'site'] as const) takeFiles(kind);

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  submit.disabled = true;
  failure.hidden = true;
  retireResults();
  try {
    showResult(await publish(new FormData(form)));
  } catch (error) {
    showFailure(error instanceof Error ? error.message.split('\n') : [texts.somethingWrong]);
  } finally {
    progress.hidden = true;
    submit.disabled = false;
  }
});

async function publish(fields: FormData): Promise<Published> {
  const upload = uploads[kindOf(fields)](fields);
  const query = new URLSearchParams();
  for (const name of ['title', 'ttl', 'entry']) {
    const value = String(fields.get(name) ?? '').trim();
    if (value !== '') query.set(name, value);
  }
  return await send(
    { ...upload, address: `${upload.address}?${query}` },
    {
      showProgress,
      onCancel(abort) {
        cancel.onclick = abort;
      },
    },
  );
}

/**
 * Starts a form body with the password: never in an address, which gets logged, nor in a header, which cannot carry every
 * character.
 */
function formWithPassword(fields: FormData): FormData {
  const form = new FormData();
  form.append('password', String(fields.get('password') ?? ''));
  return form;
}

/** `part` from 0 to 1; `null` when nobody knows. */
function showProgress(words: string, part: number | null): void {
  if (phase.textContent !== words) phase.textContent = words;
  if (part === null) bar.removeAttribute('value');
  else bar.value = part;
  progress.hidden = false;
}

function kindOf(fields: FormData): 'page' | 'file' | 'site' {
  const kind = fields.get('kind');
  return kind === 'file' || kind === 'site' ? kind : 'page';
}

function showKind(): void {
  const kind = kindOf(new FormData(form));
  for (const part of form.querySelectorAll<HTMLFieldSetElement>('fieldset[id]')) {
    part.disabled = part.hidden = !part.id.startsWith(`${kind}-`);
  }
}

/** Files come from a field or are dropped beside it. */
function takeFiles(kind: 'file' | 'site'): void {
  const zone = find(`${kind}-drop`, HTMLElement);
  const fields = zone.querySelectorAll('input');
  const take = (files: ChosenFile[], source?: Element): void => {
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
      showFailure([texts.unreadable]);
    }
  });
}

function showChosen(place: HTMLElement, files: ChosenFile[]): void {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const [name, ...below] = files[0]?.path.split('/') ?? [];
  const count = files.length === 1 ? '' : texts.files(files.length);
  const words = [below.length > 0 || count === '' ? name : '', count, formatSize(bytes, language)];
  place.textContent = files.length > 0 ? words.filter(Boolean).join(', ') : texts.empty;
  place.hidden = false;
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
