import { html } from '../../../shared/pages/html.ts';
import { page } from './page.ts';

/** Asks for an item's password. Posts the urlencoded fields `password`, `to` and `mark` to `action`, a path on this origin. */
export function unlockPage(input: {
  readonly action: string;
  readonly wrong: boolean;
  readonly namespace: string;
  readonly id: string;
  /** Where in the item to go from here: see `destinationIn`. */
  readonly to: string;
  /** See `UnlockForms`. */
  readonly mark: string | null;
}): string {
  const { action, wrong, namespace, id, to, mark } = input;
  const issue = wrong
    ? html`<p class="field-error" id="password-error" role="alert">That password is not right. Try again.</p>`
    : null;
  const marked = mark === null ? null : html`<input type="hidden" name="mark" value="${mark}">\n`;
  const described = wrong ? html` aria-invalid="true" aria-describedby="password-error"` : null;
  const body = html`<h1>This page has a password</h1>
<p class="muted">Whoever gave you the link to <code>${namespace}/${id}</code> can tell you what it is.</p>
<form method="post" action="${action}" class="stack">
<input type="hidden" name="to" value="${to}">
${marked}<div class="field"><label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required autofocus${described}>
${issue}</div>
<button type="submit" class="button">Open</button>
</form>`;
  return page({ title: 'Password needed · Perch', body, width: 'narrow' });
}
