import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { LANGUAGES, type Language } from '../http/language.ts';
import { assetAddress, scriptAddress } from '../web/assets.ts';
import { textsIn } from '../web/texts/texts.ts';
import { publicMetaTags } from './public-meta.ts';

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

export interface PageInput {
  readonly title: string;
  readonly body: SafeHtml;
  /** `narrow` for a notice or a form on its own, `wide` for the home page, `full` where two things stand side by side. */
  readonly width: 'narrow' | 'wide' | 'full';
  /** Language of the frame and, so far as it has texts in it, of the body. */
  readonly language?: Language;
  readonly description?: string;
  /** The script of the page: the name of a file in `web/browser/pages/`. */
  readonly script?: string;
  /** Style sheets of this page beside the common one, by their names in `web/assets.ts`. */
  readonly styles?: readonly string[];
  /** Its path where the header leads to it, for the link that stands for this page. */
  readonly current?: string;
  /** Its one address, absolute, where search engines are to find it; without one they are asked to pass it over. */
  readonly address?: string | undefined;
  /** A picture for link previews, absolute. */
  readonly imageUrl?: string | undefined;
}

/**
 * A page of the service itself. All style and script comes from `/assets`, so that the strictest content security
 * policy fits: there is no inline style or script in any of these pages.
 */
export function page(input: PageInput): string {
  const { title, body, width, language = 'en', script, styles = [], current } = input;
  const scripts = ['frame', ...(script === undefined ? [] : [script])];
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${searchTags(input)}<title>${title}</title>
<link rel="icon" href="${assetAddress('favicon.svg')}" type="image/svg+xml">
${['perch.css', ...styles].map((name) => html`<link rel="stylesheet" href="${assetAddress(name)}">\n`)}${scripts.map((name) => html`<script type="module" src="${scriptAddress(name, language)}"></script>\n`)}</head>
<body class="${width === 'full' ? 'wide full' : width}">
${siteHeader(language, current)}
<main id="${MAIN_ID}" tabindex="-1">
${body}
</main>
${siteFooter(language)}
</body>
</html>
`.toString();
}

function searchTags({ address, title, description, imageUrl }: PageInput): SafeHtml {
  if (address === undefined)
    return html`<meta name="robots" content="noindex">\n${description ? html`<meta name="description" content="${description}">\n` : null}`;
  return publicMetaTags({
    url: address,
    title: title.replace(/ · Perch$/, ''),
    description: description ?? null,
    imageUrl,
  });
}

/**
 * The bottom of the service's pages. Its language switch is shown by the script that makes it work: where no cookie can be
 * set, there is nothing to switch.
 */
function siteFooter(language: Language): SafeHtml {
  const { frame } = textsIn(language);
  const others = LANGUAGES.filter((other) => other !== language);
  return html`<footer class="site-footer"><a href="/gallery">${frame.gallery}</a><a href="/stats">${frame.statistics}</a><a href="/docs">${frame.reference}</a><a href="/llms.txt">${frame.models}</a><a href="/report">${frame.reportAbuse}</a>${others.map(switchTo)}</footer>`;
}

/** A page without its language switch, which loads the page again: of the answer to a form that would send the form again. */
export const withoutSwitch = (markup: string): string =>
  markup.replace(/<button type="button" class="language".*?<\/button>/g, '');

const switchTo = (language: Language): SafeHtml =>
  html`<button type="button" class="language" data-language="${language}" lang="${language}" hidden>${textsIn(language).language.name}</button>`;
