import { html } from '../../../shared/pages/html.ts';
import type { Missing } from '../../../shared/perch-error.ts';
import { inSeconds } from '../../../shared/wording/relative-time.ts';
import type { Language } from '../http/language.ts';
import { textsIn } from '../web/texts/texts.ts';
import { page } from './page.ts';

/** An error for a person who followed a link. `message` is the error's own, as in its JSON form. */
export function errorPage(error: {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly message: string;
  readonly requestId: string;
  readonly retryAfter?: number | null;
  readonly missing?: Missing | null;
  readonly language?: Language;
}): string {
  const { status, code, requestId, missing = null, language = 'en' } = error;
  const { errorPage: texts, language: words } = textsIn(language);
  const title = texts.titles[status] ?? error.title;
  // Where nothing can have expired, the address is mistyped.
  const advice = texts.advice[missing === null ? status : 400] ?? texts.advice[status >= 500 ? 500 : 400];
  const item =
    missing === null || missing.partOf === 'service' ? null : `/${missing.namespace}/${missing.id}`;
  const body = html`<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p>${messageOf(error)}</p>
<p class="muted">${advice}</p>
<p class="actions row">${item === null ? null : html`<a class="button" href="${item}">${texts.toItem(item.slice(1))}</a>`}<a class="${item === null ? 'button' : 'button quiet'}" href="/">${words.home}</a></p>
<dl class="facts"><div><dt>${texts.code}</dt><dd><code>${code}</code></dd></div><div><dt>${texts.request}</dt><dd><code>${requestId}</code></dd></div></dl>`;
  return page({ title: `${title} · Perch`, body, width: 'narrow', language });
}

/** The message in the reader's language, where there is one: those of the API are English. */
export function messageOf({
  code,
  message,
  retryAfter = null,
  missing = null,
  language = 'en',
}: Pick<
  Parameters<typeof errorPage>[0],
  'code' | 'message' | 'retryAfter' | 'missing' | 'language'
>): string {
  const { errorPage: texts, language: words } = textsIn(language);
  if (code === 'RATE_LIMITED' && retryAfter !== null && texts.tooMany !== null)
    return texts.tooMany(inSeconds(retryAfter, words));
  if (missing?.partOf === 'service') return texts.noAddress;
  if (missing !== null)
    return texts.noPart[missing.partOf](`${missing.namespace}/${missing.id}`, missing.part);
  return texts.messages[code] ?? message;
}

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
