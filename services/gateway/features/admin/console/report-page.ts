import { call } from '../../../../../shared/contracts/call.ts';
import { listPublications, type Publication } from '../../../../../shared/contracts/publications.ts';
import { type Report, readReport } from '../../../../../shared/contracts/reports.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/flags.ts';
import { NOTE_CHARACTERS, reportNamed } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { facts, formMark, hidden, stamp } from './parts.ts';
import { statusBadge } from './reports-page.ts';

/** A report beside the item that it is about, and everything that can be done about it. @throws NOT_FOUND */
export async function reportPage(request: ConsoleRequest, id: string): Promise<ConsolePage> {
  const { deps, context } = request;
  const report = await call(deps.bus, readReport, { reportId: reportNamed(id) }, context.callContext);
  const item = await itemOf(request, report);
  const shown = item !== null && item.state === 'live' && FRAMED.has(item.kind) && !item.hasPassword;
  const base = deps.config.contentBaseUrl ?? context.baseUrl;
  const address = item === null ? null : `${base}/${itemKey(item)}`;
  const body = html`<div class="console-review">
<div>
${facts([
  ['Status', statusBadge(report.status)],
  ['Reason', report.category],
  ['Received', stamp(report.receivedAt)],
  ['Reported address', html`<code>${report.reportedUrl}</code>`],
  ['Reporter', reporterOf(report)],
  ['Reviewed', report.reviewedAt === null ? null : stamp(report.reviewedAt)],
])}
<h2>What the reporter says</h2>
<p class="console-quote">${report.description}</p>
<h2>The item</h2>
${item === null ? html`<p>There is no item under this address any more.</p>` : itemFacts(item)}
<h2>Decide</h2>
${decisionForm(request, report, item)}
</div>
<section aria-labelledby="seen"><h2 id="seen">As visitors see it</h2>
${shown && address !== null ? frame(address, context.query(), report) : notShown(item, address)}</section>
</div>`;
  const page = { title: `Report ${report.reportId}`, body };
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

const reporterOf = ({ reporterEmail, reporterIp = null, reporterUserAgent = null }: Report): SafeHtml =>
  html`${reporterIp ?? 'unknown'}${reporterEmail === null ? null : html`, <a href="mailto:${reporterEmail}">${reporterEmail}</a>`}${reporterUserAgent === null ? null : html`<br><span class="muted">${reporterUserAgent}</span>`}`;

function itemFacts(item: Publication): SafeHtml {
  const others = `/admin/publications?${new URLSearchParams({ owner: item.ownerId })}`;
  const fromClient =
    item.clientIp === null ? null : `/admin/publications?${new URLSearchParams({ ip: item.clientIp })}`;
  return facts([
    ['Title', item.title === '' ? null : item.title],
    ['Kind', `${item.kind}, ${formatSize(item.sizeBytes)}${item.hasPassword ? ', with a password' : ''}`],
    ['State', item.state],
    ['Created', stamp(item.createdAt)],
    ['Owner', html`<a href="${others}"><code>${item.ownerId.slice(0, 16)}…</code></a>`],
    ['Published from', fromClient === null ? null : html`<a href="${fromClient}">${item.clientIp}</a>`],
  ]);
}

function decisionForm({ operator }: ConsoleRequest, report: Report, item: Publication | null): SafeHtml {
  const of: Record<string, string> = { report: report.reportId, back: `/admin/reports/${report.reportId}` };
  if (item !== null) {
    Object.assign(of, { item: itemKey(item), owner: item.ownerId });
    if (item.clientIp !== null) Object.assign(of, { client: item.clientIp });
  }
  const also = (value: string, label: string): SafeHtml =>
    html`<label class="console-check"><input type="checkbox" name="also" value="${value}"> ${label}</label>`;
  return html`<form method="post" action="/admin/actions" class="stack console-decide">${formMark(operator)}${hidden(of)}
<div class="field"><label for="note">Note</label><textarea id="note" name="note" rows="3" maxlength="${NOTE_CHARACTERS}">
${report.reviewerNote ?? ''}</textarea></div>
${item === null ? null : html`<fieldset><legend>With a takedown, also</legend>${also('owner', 'take down everything of this owner')}${item.clientIp === null ? null : also('block', `block ${item.clientIp} for 30 days`)}</fieldset>`}
<div class="console-buttons">${item === null ? html`<button class="button" name="action" value="settle">Mark as actioned</button>` : html`<button class="button danger" name="action" value="take-down">Take down…</button>${item.state === 'hidden' ? html`<button class="console-button" name="action" value="show">Show again</button>` : html`<button class="console-button" name="action" value="hide">Hide</button>`}`}
<button class="console-button" name="action" value="dismiss">Dismiss</button>
<button class="console-button" name="action" value="note">Save note</button></div>
</form>`;
}

/** The content in a sandbox without an origin and, unless asked for, without scripts. */
function frame(address: string, query: URLSearchParams, { reportId }: Report): SafeHtml {
  const scripted = isSet(query, 'scripts');
  const other = scripted ? `/admin/reports/${reportId}` : `/admin/reports/${reportId}?scripts=1`;
  return html`<p class="hint">${scripted ? 'Scripts run, without an origin.' : 'Scripts are off.'} <a href="${other}">${scripted ? 'Turn scripts off' : 'Run scripts'}</a> · <a href="${address}" target="_blank" rel="noopener noreferrer">Open in a tab of its own</a></p>
<iframe class="console-frame" src="${address}" sandbox="${scripted ? 'allow-scripts' : ''}" referrerpolicy="no-referrer" title="The reported item"></iframe>`;
}

function notShown(item: Publication | null, address: string | null): SafeHtml {
  if (item === null || address === null) return html`<p class="muted">Nothing to show.</p>`;
  if (item.state !== 'live') return html`<p class="muted">It is hidden: visitors see nothing.</p>`;
  const why = item.hasPassword ? 'It has a password' : 'It is no page';
  return html`<p class="muted">${why}, and is not shown here. <a href="${address}" target="_blank" rel="noopener noreferrer">Open it in a tab of its own</a></p>`;
}

/** The item's own address and those below it, without a scheme. */
function sourcesOf(address: string): string {
  const plain = address.replace(/^https?:\/\//, '');
  return `${plain} ${plain}/`;
}
