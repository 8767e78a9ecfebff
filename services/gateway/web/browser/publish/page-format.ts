import { publishing as texts } from '../../texts/page-language.ts';
import { find } from '../elements.ts';
import { looksLikeHtml, type PageFormat } from './kind-of-files.ts';

const format = find('format', HTMLSelectElement);
const content = find('content', HTMLTextAreaElement);
const said = find('format-said', HTMLElement);

/** Whether the reader has chosen a format: then it is theirs. */
let isChosen = false;

/**
 * Switches to HTML when a whole document is pasted or typed, and says so: as markdown it would lose its scripts, styles
 * and title.
 */
export function followFormat(): void {
  format.addEventListener('change', () => {
    isChosen = true;
    said.textContent = '';
  });
  content.addEventListener('input', () => {
    if (content.value === '') {
      isChosen = false;
      said.textContent = '';
    }
    if (isChosen || format.value !== 'MARKDOWN' || !looksLikeHtml(content.value)) return;
    format.value = 'HTML';
    said.textContent = texts.isHtml;
  });
}

/** Sets the format that the name of a file tells. */
export function setFormat(value: PageFormat): void {
  format.value = value;
  said.textContent = '';
}
