import { type ChosenFile, filesOf } from '../dropped-files.ts';
import type { FormKind } from './kind-of-files.ts';

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
