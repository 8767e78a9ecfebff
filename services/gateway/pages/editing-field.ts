import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { assetAddress } from '../web/assets.ts';
import type { Texts } from '../web/texts/texts.ts';

/** The page in the frame of a preview (`features/edit/preview-frame.ts`). */
export const PREVIEW_FRAME_PATH = '/edit/preview';

interface EditingField {
  /** The text field, whose id is `id`. */
  readonly field: SafeHtml;
  readonly id: string;
  readonly label: string;
  /** Whether its text is a page, which has a preview. */
  readonly isPage: boolean;
}

/** A text field that browser code turns into an editor, with a preview beside it (`web/browser/editing/`). */
export function editingField({ field, id, label, isPage }: EditingField, texts: Texts): SafeHtml {
  return html`<div class="editing" data-editor="${assetAddress('code-editor.js')}" data-frame="${PREVIEW_FRAME_PATH}" data-view="edit">
<div class="editing-head"><label for="${id}">${label}</label>${isPage ? views(texts) : null}</div>
<div class="editing-panes"><div class="editing-source">${field}</div>
<div class="editing-preview" hidden><p class="editing-said hint" role="status"></p></div></div>
</div>`;
}

const views = ({ editing: t }: Texts): SafeHtml => {
  const button = (view: string, label: string): SafeHtml =>
    html`<button type="button" data-view="${view}" aria-pressed="false">${label}</button>`;
  return html`<div class="editing-views" role="group" aria-label="${t.views}" hidden>${button('edit', t.edit)}${button('both', t.both)}${button('preview', t.preview)}</div>`;
};
