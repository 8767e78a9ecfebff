import {
  AUDIT_ACTIONS,
  AUDIT_PER_PAGE,
  type AuditEntry,
  listAudit,
} from '../../../../../shared/contracts/audit.ts';
import { call } from '../../../../../shared/contracts/call.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseAuditAction } from '../audit.ts';
import { parseListQuery } from '../list-page.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { badge, choiceField, filterForm, pager, table } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/audit';
const PAGE = { default: 50, max: AUDIT_PER_PAGE, id: null };

/** Everything that operators did. */
export async function auditPage({ deps, context, words }: ConsoleRequest): Promise<ConsolePage> {
  const { audit: texts, common, sections } = words.texts;
  const query = context.query();
  const { page, filter: action } = parseListQuery(query, PAGE, parseAuditAction);
  const { offset, limit } = page;
  const input = { action, offset, limit, after: null };
  const { entries, total } = await call(deps.bus, listAudit, input, context.callContext);
  const actions = AUDIT_ACTIONS.map((one) => [one, texts.actions[one]] as const);
  const columns = [common.when, texts.what, texts.toWhat, texts.from, texts.by, common.note, texts.outcome];
  const body = html`<p class="lead">${texts.lead}</p>
${filterForm(words, PATH, [choiceField('action', texts.action, texts.any, actions, action)])}
${table(
  sections.audit,
  columns,
  entries.map((entry) => row(entry, words)),
  texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.audit, body };
}

function row(entry: AuditEntry, words: Words): SafeHtml {
  const { createdAt, action, target, clientIp, via, note, outcome } = entry;
  const { actions, ways, done } = words.texts.audit;
  const isDone = outcome === 'done';
  return html`<tr><td>${words.stamp(createdAt)}</td><th scope="row">${actions[action]}</th><td class="console-text"><code>${target}</code></td><td>${clientIp}</td><td>${ways[via]}</td><td class="console-text">${note}</td><td>${isDone ? badge(done, 'good') : badge(html`<code>${outcome}</code>`, 'bad')}</td></tr>
`;
}
