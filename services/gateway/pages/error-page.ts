import { html } from '../../../shared/pages/html.ts';
import { page } from './page.ts';

/** Advice on what to do next, by status. The error's own message says what went wrong. */
const ADVICE: Readonly<Record<number, string>> = {
  400: 'Check the address for a typing mistake, then try again.',
  403: 'If someone gave you this link, ask them for the password or for a new link.',
  404: 'Check the address. Everything here expires after a while, so the page may simply have run out of time.',
  405: 'This address works in another way. Go back and try the link again.',
  410: 'It was here once and will not come back under this address. Whoever shared it can publish it again.',
  429: 'Wait a few minutes, then reload this page.',
  500: 'This is our fault, not yours. Reload in a moment; if it stays, tell whoever runs this server the request number below.',
  503: 'Part of the service is not answering. Nothing is lost; reload in a moment.',
  504: 'The service took too long to answer. Reload in a moment.',
};

/** An error for a person who followed a link. `message` is the error's own, as in its JSON form. */
export function errorPage(error: {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly message: string;
  readonly requestId: string;
}): string {
  const advice = ADVICE[error.status] ?? ADVICE[error.status >= 500 ? 500 : 400];
  const body = html`<p class="eyebrow">${error.status}</p>
<h1>${error.title}</h1>
<p>${error.message}</p>
<p class="muted">${advice}</p>
<p class="actions"><a class="button" href="/">Go to the home page</a></p>
<dl class="facts"><div><dt>Code</dt><dd><code>${error.code}</code></dd></div><div><dt>Request</dt><dd><code>${error.requestId}</code></dd></div></dl>`;
  return page({ title: `${error.title} · Perch`, body, width: 'narrow' });
}
