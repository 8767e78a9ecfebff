import { type Block, listBlocks } from '../../../../../shared/contracts/blocklist.ts';
import { call } from '../../../../../shared/contracts/call.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { isSet } from '../../../http/parameters.ts';
import { PATTERN_CHARACTERS, REASON_CHARACTERS } from '../block-input.ts';
import { parseListQuery } from '../list-page.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, csrfField, hidden, pager, table } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/blocklist';
const PAGE = { default: 50, max: 1_000, id: null };

/** The duration of a block that is chosen at first, in ISO 8601. */
const USUAL_DURATION = 'P30D';

/** Clients that may not create or change anything, and a form for another one. */
export async function blocklistPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { blocklist: texts, common, sections } = words.texts;
  const query = context.query();
  const { page, filter: all } = parseListQuery(query, PAGE, () => isSet(query, 'all'));
  const { offset, limit } = page;
  const input = { active: all ? null : true, type: null, offset, limit };
  const { blocks, total } = await call(deps.bus, listBlocks, input, context.callContext);
  const columns = [
    ...[texts.network, common.userAgent, common.reason, texts.since],
    ...[texts.by, texts.until, common.state, common.change],
  ];
  const body = html`<p><a href="${addressWith(PATH, query, { all: all ? null : '1', offset: null })}">${all ? texts.onlyInForce : texts.pastToo}</a></p>
${table(
  sections.blocklist,
  columns,
  blocks.map((block) => row(request, block)),
  texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}
<h2>${texts.heading}</h2>
<form method="post" action="/admin/actions" class="console-form">${csrfField(request.operator)}${hidden({ back: PATH })}
<div class="field"><label for="ip">${texts.network}</label><input id="ip" name="ip" placeholder="203.0.113.0/24" value="${query.get('ip') ?? ''}"></div>
<div class="field"><label for="ua">${texts.userAgentHas}</label><input id="ua" name="ua" maxlength="${PATTERN_CHARACTERS}" placeholder="BadBot/*"></div>
<div class="field"><label for="reason">${common.reason}</label><input id="reason" name="reason" maxlength="${REASON_CHARACTERS}" required></div>
<div class="field"><label for="duration">${texts.duration}</label><select id="duration" name="duration">${durations(words)}</select></div>
<button class="button" name="action" value="block">${texts.block}</button>
</form>`;
  return { title: sections.blocklist, body };
}

/** How long a block may last that is chosen from a list. */
const durations = ({ texts }: Words): SafeHtml[] =>
  [...Object.entries(texts.blocklist.durations), ['', texts.common.forGood]].map(
    ([value, label]) =>
      html`<option value="${value}"${value === USUAL_DURATION ? html` selected` : null}>${label}</option>`,
  );

function row({ operator, words }: ConsoleRequest, block: Block): SafeHtml {
  const { blocklist: texts, common } = words.texts;
  const { id, ip, uaPattern, reason, blockedAt, blockedBy, expiresAt, active } = block;
  const name = [ip, uaPattern].filter((part) => part !== null).join(' ');
  const end = active ? actionForm(operator, 'end-block', texts.end, { id, back: PATH }, { name }) : null;
  const any = html`<span class="muted">${texts.any}</span>`;
  return html`<tr><th scope="row">${ip ?? any}</th><td>${uaPattern ?? any}</td><td class="console-text">${reason}</td><td>${words.stamp(blockedAt)}</td><td>${blockedBy}</td><td>${expiresAt === null ? common.forGood : words.stamp(expiresAt)}</td><td>${active ? badge(texts.inForce, 'warn') : badge(texts.over)}</td><td>${end}</td></tr>
`;
}
