import { call } from '../../../../../shared/contracts/call.ts';
import { listPublications, type Publication } from '../../../../../shared/contracts/publications.ts';
import { type Report, readReport } from '../../../../../shared/contracts/reports.ts';
import { CONTENT_BLOCK_DAYS } from '../../../../../shared/contracts/takedowns.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/parameters.ts';
import { NOTE_CHARACTERS, reportNamed } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { csrfField, facts, hidden } from './parts.ts';
import { statusBadge } from './reports-page.ts';
import type { Words } from './words.ts';

/** A report beside the item that it is about, and everything that can be done about it. @throws NOT_FOUND */
export async function reportPage(request: ConsoleRequest, id: string): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { report: texts, reports, common } = words.texts;
  const report = await call(deps.bus, readReport, { reportId: reportNamed(id) }, context.callContext);
  const item = await itemOf(request, report);
  const shown = item !== null && item.state === 'live' && FRAMED.has(item.kind) && !item.hasPassword;
  const base = deps.config.contentBaseUrl ?? context.baseUrl;
  const address = item === null ? null : `${base}/${itemKey(item)}`;
  const body = html`<div class="console-review">
<div>
${facts(words, [
  [common.status, statusBadge(report.status, words)],
  [common.reason, words.categories[report.category] ?? report.category],
  [reports.received, words.stamp(report.receivedAt)],
  [texts.address, html`<code>${report.reportedUrl}</code>`],
  [texts.reporter, reporterOf(report, words)],
  [texts.reviewed, report.reviewedAt === null ? null : words.stamp(report.reviewedAt)],
])}
<h2>${texts.description}</h2>
<p class="console-quote">${report.description}</p>
<h2>${texts.item}</h2>
${item === null ? html`<p>${texts.gone}</p>` : itemFacts(item, words)}
<h2>${texts.decide}</h2>
${decisionForm(request, report, item)}
</div>
<section aria-labelledby="seen"><h2 id="seen">${texts.seen}</h2>
${shown && address !== null ? frame(address, context.query(), report, words) : notShown(item, address, words)}</section>
</div>`;
  const page = { title: texts.title(report.reportId), body };
  if (!shown || address === null) return page;
  // The address may lead on to a host of the item's own.
  const hosts = deps.itemHosts.originOf(context, '*');
  const frames = [sourcesOf(address), hosts].filter((source) => source !== null).join(' ');
  return { ...page, frames };
}

/** Kinds that a frame can show; the others are lists and documents of the service's own pages. */
const FRAMED: ReadonlySet<string> = new Set(['html', 'site', 'file']);

/** The item as it is now; `null` when it is gone, or the report names none. */
async function itemOf(
  { deps, context }: ConsoleRequest,
  { namespace, id }: Report,
): Promise<Publication | null> {
  if (namespace === null || id === null) return null;
  const filter = { kind: null, state: null, namespace, id };
  const input = { filter, offset: 0, limit: 1 };
  const { publications } = await call(deps.bus, listPublications, input, context.callContext);
  return publications[0] ?? null;
}

const reporterOf = (
  { reporterEmail, reporterIp = null, reporterUserAgent = null }: Report,
  { texts }: Words,
): SafeHtml =>
  html`${reporterIp ?? texts.common.unknown}${reporterEmail === null ? null : html`, <a href="mailto:${reporterEmail}">${reporterEmail}</a>`}${reporterUserAgent === null ? null : html`<br><span class="muted">${reporterUserAgent}</span>`}`;

function itemFacts(item: Publication, words: Words): SafeHtml {
  const { report: texts, common, states } = words.texts;
  const { one: kind } = words.kinds[item.kind];
  const others = `/admin/publications?${new URLSearchParams({ owner: item.ownerId })}`;
  const fromClient =
    item.clientIp === null ? null : `/admin/publications?${new URLSearchParams({ ip: item.clientIp })}`;
  return facts(words, [
    [texts.itemTitle, item.title === '' ? null : item.title],
    [common.kind, texts.kind(kind, words.size(item.sizeBytes), item.hasPassword)],
    [common.state, states[item.state]],
    [common.created, words.stamp(item.createdAt)],
    [common.owner, html`<a href="${others}"><code>${item.ownerId.slice(0, 16)}…</code></a>`],
    [texts.from, fromClient === null ? null : html`<a href="${fromClient}">${item.clientIp}</a>`],
  ]);
}

function decisionForm(
  { operator, words }: ConsoleRequest,
  report: Report,
  item: Publication | null,
): SafeHtml {
  const { report: texts, common } = words.texts;
  const of: Record<string, string> = { report: report.reportId, back: `/admin/reports/${report.reportId}` };
  if (item !== null) {
    Object.assign(of, { item: itemKey(item), owner: item.ownerId });
    if (item.clientIp !== null) Object.assign(of, { client: item.clientIp });
  }
  const also = (value: string, label: string): SafeHtml =>
    html`<label class="console-check"><input type="checkbox" name="also" value="${value}"> ${label}</label>`;
  return html`<form method="post" action="/admin/actions" class="stack console-decide">${csrfField(operator)}${hidden(of)}
<div class="field"><label for="note">${common.note}</label><textarea id="note" name="note" rows="3" maxlength="${NOTE_CHARACTERS}">
${report.reviewerNote ?? ''}</textarea></div>
${item === null ? null : html`<fieldset><legend>${texts.also}</legend>${item.kind === 'kv' ? null : also('content', texts.alsoContent(words.number(CONTENT_BLOCK_DAYS)))}${also('owner', texts.alsoOwner)}${item.clientIp === null ? null : also('block', texts.alsoBlock(item.clientIp))}</fieldset>`}
<div class="console-buttons">${item === null ? html`<button class="button" name="action" value="settle">${texts.settle}</button>` : html`<button class="button danger" name="action" value="take-down">${common.takeDownAsking}</button>${item.state === 'hidden' ? html`<button class="console-button" name="action" value="show">${texts.showAgain}</button>` : html`<button class="console-button" name="action" value="hide">${common.hide}</button>`}`}
<button class="console-button" name="action" value="dismiss">${common.dismiss}</button>
<button class="console-button" name="action" value="note">${texts.saveNote}</button></div>
</form>`;
}

/** The content in a sandbox without an origin and, unless asked for, without scripts. */
function frame(address: string, query: URLSearchParams, { reportId }: Report, words: Words): SafeHtml {
  const { report: texts } = words.texts;
  const scripted = isSet(query, 'scripts');
  const other = scripted ? `/admin/reports/${reportId}` : `/admin/reports/${reportId}?scripts=1`;
  return html`<p class="hint">${scripted ? texts.scripted : texts.scriptless} <a href="${other}">${scripted ? texts.stopScripts : texts.runScripts}</a> · <a href="${address}" target="_blank" rel="noopener noreferrer">${texts.openTab}</a></p>
<iframe class="console-frame" src="${address}" sandbox="${scripted ? 'allow-scripts' : ''}" referrerpolicy="no-referrer" title="${texts.frame}"></iframe>`;
}

function notShown(item: Publication | null, address: string | null, words: Words): SafeHtml {
  const { report: texts } = words.texts;
  if (item === null || address === null) return html`<p class="muted">${texts.nothing}</p>`;
  if (item.state !== 'live') return html`<p class="muted">${texts.hidden}</p>`;
  const why = item.hasPassword ? texts.isProtected : texts.noPage;
  return html`<p class="muted">${why} <a href="${address}" target="_blank" rel="noopener noreferrer">${texts.openTab}</a></p>`;
}

/** The item's own address and those below it, without a scheme. */
function sourcesOf(address: string): string {
  const plain = address.replace(/^https?:\/\//, '');
  return `${plain} ${plain}/`;
}
