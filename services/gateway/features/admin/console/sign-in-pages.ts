import { html } from '../../../../../shared/pages/html.ts';
import { enteredTexts } from './entries.ts';
import type { ConsolePage } from './frame.ts';
import type { Words } from './words.ts';

interface SignInInput {
  /** The page of the console to go to then. */
  to: string;
  /** The problem with the password just sent, or null. */
  problem: string | null;
  /**
   * `elsewhere`: a link of another site led here, so the browser has kept the cookie of a sign-in back. `ended`: a form was
   * sent whose sign-in has ended.
   */
  notice: 'elsewhere' | 'ended' | null;
  /** Fields of that form, or null. */
  sent: URLSearchParams | null;
}

/** Asks for the admin password; posts `password` and `to` to `/admin/sign-in`. */
export function signInPage(words: Words, { to, problem, notice, sent }: SignInInput): ConsolePage {
  const { texts } = words;
  const { title, heading, lead, elsewhere, ended, password } = texts.signIn;
  const described = problem === null ? null : html` aria-invalid="true" aria-describedby="password-error"`;
  const body = html`<h1>${heading}</h1>
<p class="muted">${lead}</p>
${notice === 'ended' ? html`<p class="notice error" role="alert">${ended}</p>` : null}${notice === 'elsewhere' ? html`<p class="notice">${elsewhere.before}<a href="${to}">${elsewhere.link}</a>${elsewhere.after}</p>` : null}
${sent === null ? null : enteredTexts(sent, words)}
<form method="post" action="/admin/sign-in" class="stack">
<input type="hidden" name="to" value="${to}">
<div class="field"><label for="password">${password}</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus${described}>
${problem === null ? null : html`<p class="field-error" id="password-error" role="alert">${problem}</p>`}</div>
<button type="submit" class="button">${title}</button>
</form>`;
  return { title, body };
}

/** Says that a form of an earlier sign-in was not done, and what was entered into it. */
export function earlierFormPage(words: Words, fields: URLSearchParams, back: string): ConsolePage {
  const { actions, common } = words.texts;
  const body = html`<p class="notice error" role="alert">${actions.earlierForm}</p>
${enteredTexts(fields, words)}
<p><a class="console-button" href="${back}">${common.back}</a></p>`;
  return { title: actions.problem, body, status: 403 };
}

/** Says how to have a console, on a server without one. */
export function noConsolePage({ texts }: Words): ConsolePage {
  const { title, heading, why, how } = texts.off;
  const body = html`<h1>${heading}</h1>
<p>${why.before}<code>/api/admin</code>${why.after}</p>
<p>${how.before}<code>ADMIN_PASSWORD</code>${how.between}<code>ADMIN_PASSWORD_FILE</code>${how.after}</p>`;
  return { title, body };
}
