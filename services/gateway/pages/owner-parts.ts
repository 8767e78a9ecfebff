import { html, type SafeHtml } from '../../../shared/pages/html.ts';
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

/** Asks before changes that are not saved are lost (`web/browser/editing/leave-guard.ts`). */
export const leaveDialog = ({ editing: t }: Texts): SafeHtml =>
  confirmation('leave', t.leaveHeading, t.leaveHint, t.leave, t.stay);
