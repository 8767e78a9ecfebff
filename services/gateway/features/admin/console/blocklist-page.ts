import { type Block, listBlocks } from '../../../../../shared/contracts/blocklist.ts';
import { call } from '../../../../../shared/contracts/call.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/flags.ts';
import { PATTERN_CHARACTERS, REASON_CHARACTERS } from '../block-input.ts';
import { parseListQuery } from '../list-page.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, formMark, hidden, pager, stamp, table } from './parts.ts';

const PATH = '/admin/blocklist';
const PAGE = { default: 50, max: 1_000, id: null };
const COLUMNS = ['Address or network', 'User-Agent', 'Reason', 'Since', 'By', 'Until', 'State', 'Change'];

/** How long a block may last that is chosen from a list, in ISO 8601. */
const DURATIONS = [
  ['P1D', 'a day'],
  ['P7D', 'a week'],
  ['P30D', '30 days'],
  ['P1Y', 'a year'],
  ['', 'for good'],
] as const;

/** Clients that may not create or change anything, and a form for another one. */
export async function blocklistPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context } = request;
  const query = context.query();
  const { page, filter: all } = parseListQuery(query, PAGE, () => isSet(query, 'all'));
  const { offset, limit } = page;
  const input = { active: all ? null : true, type: null, offset, limit };
  const { blocks, total } = await call(deps.bus, listBlocks, input, context.callContext);
  const body = html`<p><a href="${addressWith(PATH, query, { all: all ? null : '1', offset: null })}">${all ? 'Show those in force only' : 'Show those of the past, too'}</a></p>
${table(
  'Blocklist',
  COLUMNS,
  blocks.map((block) => row(request, block)),
  'Nobody is blocked.',
)}
${pager(PATH, query, { offset, limit, total })}
<h2>Block a client</h2>
<form method="post" action="/admin/actions" class="console-form">${formMark(request.operator)}${hidden({ back: PATH })}
<div class="field"><label for="ip">Address or network</label><input id="ip" name="ip" placeholder="203.0.113.0/24" value="${query.get('ip') ?? ''}"></div>
<div class="field"><label for="ua">User-Agent has</label><input id="ua" name="ua" maxlength="${PATTERN_CHARACTERS}" placeholder="BadBot/*"></div>
<div class="field"><label for="reason">Reason</label><input id="reason" name="reason" maxlength="${REASON_CHARACTERS}" required></div>
<div class="field"><label for="duration">How long</label><select id="duration" name="duration">${DURATIONS.map(([value, label]) => html`<option value="${value}"${value === 'P30D' ? html` selected` : null}>${label}</option>`)}</select></div>
<button class="button" name="action" value="block">Block…</button>
</form>`;
  return { title: 'Blocklist', body };
}

function row({ operator }: ConsoleRequest, block: Block): SafeHtml {
  const { id, ip, uaPattern, reason, blockedAt, blockedBy, expiresAt, active } = block;
  const name = [ip, uaPattern].filter((part) => part !== null).join(' ');
  const end = active ? actionForm(operator, 'end-block', 'End', { id, back: PATH }, { name }) : null;
  return html`<tr><th scope="row">${ip ?? html`<span class="muted">any</span>`}</th><td>${uaPattern ?? html`<span class="muted">any</span>`}</td><td class="console-text">${reason}</td><td>${stamp(blockedAt)}</td><td>${blockedBy}</td><td>${expiresAt === null ? 'for good' : stamp(expiresAt)}</td><td>${badge(active ? 'in force' : 'over', active ? 'warn' : 'plain')}</td><td>${end}</td></tr>
`;
}
