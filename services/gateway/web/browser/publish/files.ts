import { formatSize } from '../../../../../shared/wording/format-size.ts';
import { language, publishing as texts } from '../../texts/page-language.ts';
import { find, fromTemplate, within } from '../elements.ts';
import type { FormKind } from './content-kinds.ts';

/** A file, and its path within the folder it was chosen with. */
export interface ChosenFile {
  readonly file: File;
  readonly path: string;
}

/** Folders hold what belongs to the computer and not to the site; the server would leave it out as well. */
const belongsToSite = (path: string): boolean => !/^__MACOSX(\/|$)|(^|\/)\./.test(path);

/** The files that were dropped, those of dropped folders included. */
async function filesOf(transfer: DataTransfer | null): Promise<ChosenFile[]> {
  // The items are gone once the event is over.
  const dropped = [...(transfer?.items ?? [])].map((item) => ({
    entry: item.webkitGetAsEntry(),
    file: item.getAsFile(),
  }));
  const found = await Promise.all(
    dropped.map(async ({ entry, file }) =>
      entry ? await filesBelow(entry) : file ? [{ file, path: file.name }] : [],
    ),
  );
  return found.flat();
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isDirectory = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

async function filesBelow(entry: FileSystemEntry): Promise<ChosenFile[]> {
  const path = entry.fullPath.slice(1);
  if (isFile(entry)) {
    const { promise, resolve, reject } = Promise.withResolvers<File>();
    entry.file(resolve, reject);
    return [{ file: await promise, path }];
  }
  if (!isDirectory(entry) || !belongsToSite(path)) return [];
  const reader = entry.createReader();
  const found: ChosenFile[][] = [];
  // A folder gives its entries in parts, the last of them empty.
  for (;;) {
    const { promise, resolve, reject } = Promise.withResolvers<FileSystemEntry[]>();
    reader.readEntries(resolve, reject);
    const entries = await promise;
    if (entries.length === 0) return found.flat();
    found.push(...(await Promise.all(entries.map(filesBelow))));
  }
}

interface Page {
  /** `wanted` is the kind whose field the files were dropped on; `null` anywhere else. */
  onFiles(files: ChosenFile[], wanted: FormKind | null): void;
  onUnreadable(): void;
}

/** Takes files that are dropped or pasted anywhere on the page: else a browser would leave the page and show them. */
export function takeDrops({ onFiles, onUnreadable }: Page): void {
  const marked = document.documentElement;
  document.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    marked.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    // Leaving an element for another of the page is not leaving the page.
    if (event.relatedTarget === null) marked.classList.remove('dropping');
  });
  document.addEventListener('drop', async (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    marked.classList.remove('dropping');
    const zone = event.target instanceof Element ? event.target.closest('.drop') : null;
    const wanted = zone === null ? null : zone.id === 'site-drop' ? 'site' : 'file';
    try {
      onFiles(await filesOf(event.dataTransfer), wanted);
    } catch {
      onUnreadable();
    }
  });
  document.addEventListener('paste', (event) => {
    const { clipboardData } = event;
    // A text from a word processor has a picture of itself with it.
    if (clipboardData === null || clipboardData.types.includes('text/plain')) return;
    const files = [...clipboardData.files].map(named);
    if (files.length === 0) return;
    event.preventDefault();
    onFiles(
      files.map((file) => ({ file, path: file.name })),
      null,
    );
  });
}

/** Every pasted picture is called `image.png`: its time tells it from the others. */
function named(file: File): File {
  const [, ending] = /^image\.(\w+)$/.exec(file.name) ?? [];
  if (ending === undefined) return file;
  const time = new Date().toISOString().slice(0, 19).replace('T', '-').replaceAll(':', '');
  return new File([file], `pasted-${time}.${ending}`, { type: file.type });
}

type FileKind = 'file' | 'site';

/** Paths of a site that are listed; the others are counted. */
const LISTED = 200;

/** The files last dropped or chosen, by kind. */
export const chosen: Record<FileKind, ChosenFile[]> = { file: [], site: [] };

/** Takes files for a kind in place of those before, and shows what will be published and what not. */
export function takeFiles(kind: FileKind, files: readonly ChosenFile[], source?: Element): void {
  for (const field of find(`${kind}-drop`, HTMLElement).querySelectorAll('input'))
    if (field !== source) field.value = '';
  const isTaken = ({ path }: ChosenFile): boolean => kind === 'file' || belongsToSite(path);
  const taken = files.filter(isTaken);
  chosen[kind] = taken;
  const summary = find(`${kind}-chosen`, HTMLElement);
  summary.textContent = taken.length === 0 ? texts.empty : summaryOf(taken);
  summary.hidden = false;
  const leftOut = files.filter((file) => !isTaken(file));
  if (kind === 'site') showSite(taken, leftOut);
  else showFiles(taken);
}

/** Lists several files, each with a button that takes it out. */
function showFiles(files: readonly ChosenFile[]): void {
  const list = find('file-list', HTMLUListElement);
  list.hidden = files.length < 2;
  list.replaceChildren(
    ...files.map(({ file, path }, n) => {
      const item = fromTemplate('chosen-file', 'li', HTMLLIElement);
      within(item, 'span', HTMLElement).textContent = `${path}, ${formatSize(file.size, language)}`;
      const button = within(item, 'button', HTMLButtonElement);
      button.ariaLabel = texts.removeFile(path);
      button.addEventListener('click', () => {
        takeFiles('file', files.toSpliced(n, 1));
        const next = list.querySelectorAll('button')[Math.min(n, files.length - 2)];
        (list.hidden ? find('file', HTMLInputElement) : next)?.focus();
      });
      return item;
    }),
  );
}

/** Takes what is chosen with the buttons of a kind. */
export function offerChoosing(kind: FileKind): void {
  for (const field of find(`${kind}-drop`, HTMLElement).querySelectorAll('input'))
    field.addEventListener('change', () => {
      const files = [...(field.files ?? [])];
      takeFiles(
        kind,
        files.map((file) => ({ file, path: file.webkitRelativePath || file.name })),
        field,
      );
    });
}

function summaryOf(files: readonly ChosenFile[]): string {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const [name = '', ...below] = files[0]?.path.split('/') ?? [];
  const count = files.length === 1 ? '' : texts.files(files.length);
  const words = [below.length > 0 || count === '' ? name : '', count, formatSize(bytes, language)];
  return words.filter((word) => word !== '').join(', ');
}

/** The list of a folder: what will be published, and what is left out. */
function showSite(taken: readonly ChosenFile[], leftOut: readonly ChosenFile[]): void {
  const details = find('site-list', HTMLDetailsElement);
  details.hidden = taken.length + leftOut.length < 2;
  const item = (text: string, isLeftOut: boolean): HTMLLIElement => {
    const element = document.createElement('li');
    element.textContent = isLeftOut ? texts.leftOut(text) : text;
    element.classList.toggle('muted', isLeftOut);
    return element;
  };
  const more = taken.length - LISTED;
  find('site-paths', HTMLUListElement).replaceChildren(
    ...leftOut.slice(0, LISTED).map(({ path }) => item(path, true)),
    ...taken
      .slice(0, LISTED)
      .map(({ path, file }) => item(`${path}, ${formatSize(file.size, language)}`, false)),
    ...(more > 0 ? [item(texts.more(more), false)] : []),
  );
  find('site-list-summary', HTMLElement).textContent = texts.siteSummary(taken.length, leftOut.length);
}
