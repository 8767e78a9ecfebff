import { html } from '../../../../../shared/pages/html.ts';
import type { ConsolePage } from './frame.ts';

interface SignInInput {
  /** The page of the console to go to then. */
  to: string;
  /** The problem with the password just sent, or null. */
  problem: string | null;
  /** Whether a link of another site led here: the browser has then kept the cookie of a sign-in back. */
  fromElsewhere: boolean;
}

/** Asks for the admin password; posts `password` and `to` to `/admin/sign-in`. */
export function signInPage({ to, problem, fromElsewhere }: SignInInput): ConsolePage {
  const described = problem === null ? null : html` aria-invalid="true" aria-describedby="password-error"`;
  const body = html`<h1>Operator's console</h1>
<p class="muted">For whoever runs this server. A sign-in lasts one hour.</p>
${fromElsewhere ? html`<p class="notice">You came from another site. If you are signed in, <a href="${to}">open the console</a>.</p>` : null}
<form method="post" action="/admin/sign-in" class="stack">
<input type="hidden" name="to" value="${to}">
<div class="field"><label for="password">Admin password</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000" required autofocus${described}>
${problem === null ? null : html`<p class="field-error" id="password-error" role="alert">${problem}</p>`}</div>
<button type="submit" class="button">Sign in</button>
</form>`;
  return { title: 'Sign in', body };
}

/** Says how to have a console, on a server without one. */
export const noConsolePage = (): ConsolePage => ({
  title: 'No console',
  body: html`<h1>There is no console yet</h1>
<p>This server has no admin password, so its console and <code>/api/admin</code> are off.</p>
<p>To turn them on, set <code>ADMIN_PASSWORD</code> (12 characters or more) in the environment of every gateway, or <code>ADMIN_PASSWORD_FILE</code> to a file that holds it, and start them again.</p>`,
});
