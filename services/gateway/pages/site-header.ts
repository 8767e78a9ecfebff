import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import type { Language } from '../http/language.ts';
import { assetAddress } from '../web/assets.ts';
import { textsIn } from '../web/texts/texts.ts';

/** The id of every page's main part, for the skip link. */
export const MAIN_ID = 'main';

/** The top of every page of the service. `current` is the path of the page, for its link. */
export function siteHeader(language: Language, current: string | null = null): SafeHtml {
  const { frame } = textsIn(language);
  const link = (path: string, text: string): SafeHtml =>
    html`<a href="${path}"${path === current ? html` aria-current="page"` : null}>${text}</a>`;
  return html`<a class="skip-link" href="#${MAIN_ID}">${frame.skip}</a>
<header class="site-header"><a class="brand" href="/"${current === '/' ? html` aria-current="page"` : null}><img src="${assetAddress('favicon.svg')}" alt="" width="26" height="26">Perch</a><nav class="site-nav" aria-label="Perch">${link('/gallery', frame.gallery)}${link('/mine', frame.mine)}${link('/docs', frame.docs)}${link('/stats', frame.stats)}</nav></header>`;
}
