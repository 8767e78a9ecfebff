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
import { badge, choiceField, filterForm, pager, stamp, table } from './parts.ts';

const PATH = '/admin/audit';
const PAGE = { default: 50, max: AUDIT_PER_PAGE, id: null };
const COLUMNS = ['When', 'What', 'To what', 'From', 'By', 'Note', 'Outcome'];

/** Everything that operators did. */
export async function auditPage({ deps, context }: ConsoleRequest): Promise<ConsolePage> {
  const query = context.query();
  const { page, filter: action } = parseListQuery(query, PAGE, parseAuditAction);
  const { offset, limit } = page;
  const input = { action, offset, limit, after: null };
  const { entries, total } = await call(deps.bus, listAudit, input, context.callContext);
  const body = html`<p class="lead">Every sign-in and every change by console or API. Nothing can change or remove an entry.</p>
${filterForm(PATH, [choiceField('action', 'Action', 'Any action', AUDIT_ACTIONS, action)])}
${table('Audit trail', COLUMNS, entries.map(row), 'There is no such entry.')}
${pager(PATH, query, { offset, limit, total })}`;
  return { title: 'Audit trail', body };
}

const row = ({ createdAt, action, target, clientIp, via, note, outcome }: AuditEntry): SafeHtml =>
  html`<tr><td>${stamp(createdAt)}</td><th scope="row">${action}</th><td class="console-text"><code>${target}</code></td><td>${clientIp}</td><td>${via}</td><td class="console-text">${note}</td><td>${badge(outcome, outcome === 'done' ? 'good' : 'bad')}</td></tr>
`;
