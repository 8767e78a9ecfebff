import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import { LANGUAGES, type Language } from '../http/language.ts';
import { textsIn } from '../web/texts/texts.ts';

/**
 * The bottom of the service's pages. Its language switch is shown by the script that makes it work: where no cookie can be
 * set, there is nothing to switch.
 */
export function siteFooter(language: Language): SafeHtml {
  const { frame } = textsIn(language);
  const others = LANGUAGES.filter((other) => other !== language);
  return html`<footer class="site-footer"><a href="/gallery">${frame.gallery}</a><a href="/stats">${frame.statistics}</a><a href="/docs">${frame.reference}</a><a href="/llms.txt">${frame.models}</a><a href="/report">${frame.reportAbuse}</a>${others.map(switchTo)}</footer>`;
}

const switchTo = (language: Language): SafeHtml =>
  html`<button type="button" class="language" data-language="${language}" lang="${language}" hidden>${textsIn(language).language.name}</button>`;
