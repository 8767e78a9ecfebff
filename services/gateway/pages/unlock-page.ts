import { html } from '../../../shared/pages/html.ts';
import { inSeconds } from '../../../shared/pages/relative-time.ts';
import type { Language } from '../http/language.ts';
import { textsIn } from '../web/texts/texts.ts';
import { page } from './page.ts';

/** Asks for an item's password. Posts the urlencoded fields `password`, `to` and `mark` to `action`, a path on this origin. */
export function unlockPage(input: {
  readonly action: string;
  /** The fault of the last try. */
  readonly issue: 'wrong' | { readonly lockedSeconds: number } | null;
  readonly namespace: string;
  readonly id: string;
  /** Where in the item to go from here: see `destinationIn`. */
  readonly to: string;
  /** See `UnlockForms`. */
  readonly mark: string | null;
  readonly language?: Language;
}): string {
  const { action, issue, namespace, id, to, mark, language = 'en' } = input;
  const { unlock: texts, language: words } = textsIn(language);
  const text =
    issue === null
      ? null
      : issue === 'wrong'
        ? texts.wrong
        : texts.lockedOut(inSeconds(issue.lockedSeconds, words));
  const fault =
    text === null ? null : html`<p class="field-error" id="password-error" role="alert">${text}</p>`;
  const marked = mark === null ? null : html`<input type="hidden" name="mark" value="${mark}">\n`;
  const described = fault !== null ? html` aria-invalid="true" aria-describedby="password-error"` : null;
  const body = html`<h1>${texts.heading}</h1>
<p class="muted">${texts.lead.before}<code>${namespace}/${id}</code>${texts.lead.after}</p>
<form method="post" action="${action}" class="stack">
<input type="hidden" name="to" value="${to}">
${marked}<div class="field"><label for="password">${texts.password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus${described}>
${fault}</div>
<button type="submit" class="button">${texts.open}</button>
</form>`;
  return page({ title: `${texts.title} · Perch`, body, width: 'narrow', language });
}
