import { html } from '../../../shared/pages/html.ts';
import { inSeconds } from '../../../shared/pages/relative-time.ts';
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
  readonly language?: Language;
}): string {
  const { status, code, requestId, language = 'en' } = error;
  const { errorPage: texts, language: words } = textsIn(language);
  const title = texts.titles[status] ?? error.title;
  const advice = texts.advice[status] ?? texts.advice[status >= 500 ? 500 : 400];
  const body = html`<p class="eyebrow">${status}</p>
<h1>${title}</h1>
<p>${messageOf(error)}</p>
<p class="muted">${advice}</p>
<p class="actions"><a class="button" href="/">${words.home}</a></p>
<dl class="facts"><div><dt>${texts.code}</dt><dd><code>${code}</code></dd></div><div><dt>${texts.request}</dt><dd><code>${requestId}</code></dd></div></dl>`;
  return page({ title: `${title} · Perch`, body, width: 'narrow', language });
}

/** The message in the reader's language, where there is one: those of the API are English. */
function messageOf({
  code,
  message,
  retryAfter = null,
  language = 'en',
}: Parameters<typeof errorPage>[0]): string {
  const { errorPage: texts, language: words } = textsIn(language);
  if (code === 'RATE_LIMITED' && retryAfter !== null && texts.tooMany !== null)
    return texts.tooMany(inSeconds(retryAfter, words));
  return texts.messages[code] ?? message;
}
