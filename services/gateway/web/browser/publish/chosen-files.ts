import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { language, publishing as texts } from '../../texts/page-language.ts';
import { find } from '../elements.ts';
import { belongsToSite, type ChosenFile } from './dropped-files.ts';

type FileKind = 'file' | 'site';

/** Paths of a site that are listed; the others are counted. */
const LISTED = 200;

/** The files last dropped or chosen, by kind. */
export const chosen: Record<FileKind, ChosenFile[]> = { file: [], site: [] };

/** Takes files for a kind in place of those before, and shows what will be published and what not. */
export function takeFiles(kind: FileKind, files: readonly ChosenFile[], source?: Element): void {
  for (const field of find(`${kind}-drop`, HTMLElement).querySelectorAll('input'))
    if (field !== source) field.value = '';
  const taken = kind === 'site' ? files.filter(({ path }) => belongsToSite(path)) : [...files];
  chosen[kind] = taken;
  const summary = find(`${kind}-chosen`, HTMLElement);
  summary.textContent = taken.length === 0 ? texts.empty : summaryOf(taken);
  summary.hidden = false;
  if (kind === 'site')
    showSite(
      taken,
      files.filter(({ path }) => !belongsToSite(path)),
    );
}

/** Takes what is chosen with the buttons of a kind. */
export function offerChoosing(kind: FileKind, onTaken: () => void): void {
  for (const field of find(`${kind}-drop`, HTMLElement).querySelectorAll('input'))
    field.addEventListener('change', () => {
      const files = [...(field.files ?? [])];
      takeFiles(
        kind,
        files.map((file) => ({ file, path: file.webkitRelativePath || file.name })),
        field,
      );
      onTaken();
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
