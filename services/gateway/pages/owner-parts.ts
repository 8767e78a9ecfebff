import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { assetAddress } from '../web/assets.ts';
import type { Texts } from '../web/texts/texts.ts';

/** Asks for the owner token of an item, where the browser has none that fits (`web/browser/item-token.ts`). */
export const tokenForm = (
  page: string,
  manage: Texts['manage'],
): SafeHtml => html`<form id="${page}-ask" class="stack" autocomplete="off" hidden><p>${manage.ask}</p>
<div class="field"><label for="${page}-token">${manage.token}</label>
<input id="${page}-token" type="text" minlength="16" maxlength="512" required autocapitalize="off" spellcheck="false"></div>
<button class="button">${manage.open}</button></form>`;

/** A dialog that asks whether something shall be done. Browser code fills in what it is about. */
export const confirmation = (
  name: string,
  heading: string,
  hint: string | null,
  yes: string,
  no: string,
): SafeHtml => html`<dialog id="${name}-dialog" aria-labelledby="${name}-heading"><form method="dialog" class="stack">
<h2 id="${name}-heading">${heading}</h2>
<p class="dialog-name">${hint}</p>
<div class="row end"><button class="button" value="ok">${yes}</button><button class="button quiet" value="">${no}</button></div>
</form></dialog>`;

/** Asks before changes that are not saved are lost (`web/browser/dialogs.ts`). */
export const leaveDialog = ({ editing: t }: Texts): SafeHtml =>
  confirmation('leave', t.leaveHeading, t.leaveHint, t.leave, t.stay);

/** The page in the frame of a preview (`features/edit/routes.ts`). */
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
