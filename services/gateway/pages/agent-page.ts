import { html } from '../../../shared/pages/html.ts';
import type { Language } from '../http/language.ts';
import { textsIn } from '../web/texts/texts.ts';
import { page } from './page.ts';

/** For a person who opens the address of the agents' tools, which answers no GET. */
export function agentPage({
  baseUrl,
  language = 'en',
}: {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly language?: Language;
}): string {
  const { agents: texts, language: words } = textsIn(language);
  const body = html`<p class="eyebrow">MCP</p>
<h1>${texts.heading}</h1>
<p class="muted">${texts.tools}</p>
<p>${texts.lead}</p>
<div class="command"><pre tabindex="0"><code>${baseUrl}/mcp</code></pre></div>
<p class="actions"><a class="button" href="/docs">${texts.reference}</a> <a href="/">${words.home}</a></p>`;
  return page({ title: `${texts.heading} · Perch`, body, width: 'narrow', language });
}
