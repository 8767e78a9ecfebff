import { dateTag } from '../../../shared/pages/format.ts';
import { html, type SafeHtml } from '../../../shared/pages/html.ts';
import type { Texts } from '../web/texts/texts.ts';

export interface ItemHead {
  readonly heading: SafeHtml;
  /** Facts about it, which stand before the dates. */
  readonly facts: ReadonlyArray<SafeHtml | string | null>;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Links to what can be done with it, the most likely first; the report comes of itself. */
  readonly actions: readonly SafeHtml[];
  /** The subject of the actions, for screen readers. */
  readonly actionsOf: string;
  readonly reportUrl: string;
}

/** The top of the page of one item: what it is, and what can be done with it. */
export function itemHead(head: ItemHead, { language: words }: Texts): SafeHtml {
  const { heading, facts, createdAt, expiresAt, actions, actionsOf, reportUrl } = head;
  const listed = facts.filter((fact) => fact !== null).map((fact) => html`<li>${fact}</li>`);
  return html`<header class="item-head">
<h1>${heading}</h1>
<ul class="item-facts">${listed}<li>${words.added} ${dateTag(createdAt, words)}</li><li>${words.expires} ${dateTag(expiresAt, words)}</li></ul>
<nav class="item-actions" aria-label="${actionsOf}">${actions}<a class="item-report" href="${reportUrl}">${words.report}</a></nav>
</header>`;
}
