import { call } from '../../../../../shared/contracts/call.ts';
import {
  type BlockedContent,
  CONTENT_BLOCK_DAYS,
  listBlockedContent,
  TAKEDOWN_ITEMS,
} from '../../../../../shared/contracts/takedowns.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { REASON_CHARACTERS } from '../block-input.ts';
import { parseListQuery } from '../list-page.ts';
import { parseTakedown } from '../takedowns.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, csrfField, filterForm, hidden, pager, table, textField } from './parts.ts';
import { countItems } from './targeted-items.ts';

const PATH = '/admin/takedowns';
const PAGE = { default: 50, max: 1_000, id: null };

/** The ways to name many items, by the parameter that does. */
const TARGETS = ['ownerId', 'network', 'sha256'] as const;

/** Takedowns of many items at once, and the content that may not come back. */
export async function takedownsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, operator, words } = request;
  const { takedowns: texts, blocklist, common, sections } = words.texts;
  const query = context.query();
  const { page } = parseListQuery(query, PAGE, () => null);
  const { offset, limit } = page;
  const { blocked, total } = await call(deps.bus, listBlockedContent, { offset, limit }, context.callContext);
  const columns = [texts.hash, common.reason, blocklist.since, blocklist.by, blocklist.until, common.change];
  const field = (name: (typeof TARGETS)[number], placeholder: string): SafeHtml =>
    textField(name, texts.targets[name], query.get(name), placeholder);
  const fields = [
    field('network', '203.0.113.0/24'),
    field('ownerId', texts.ofToken),
    field('sha256', '9f86d081884c7d65…'),
  ];
  const body = html`<p class="lead">${texts.lead}</p>
${filterForm(words, PATH, fields)}
${await takedownForm(request)}
<h2>${texts.blocked}</h2>
<p class="hint">${texts.hint(words.number(CONTENT_BLOCK_DAYS))}</p>
${table(
  texts.blocked,
  columns,
  blocked.map((one) => row(request, one)),
  texts.noneBlocked,
)}
${pager(words, PATH, query, { offset, limit, total })}
<h2>${texts.heading}</h2>
<form method="post" action="/admin/actions" class="console-form">${csrfField(operator)}${hidden({ back: PATH })}
<div class="field"><label for="hash">${texts.targets.sha256}</label><input id="hash" name="sha256" required autocomplete="off" spellcheck="false"></div>
<div class="field"><label for="block-reason">${common.reason}</label><input id="block-reason" name="reason" maxlength="${REASON_CHARACTERS}" required></div>
<button class="button" name="action" value="block-content">${texts.block}</button>
</form>`;
  return { title: sections.takedowns, body };
}

/** How many items the filter means, and a form that takes them down. */
async function takedownForm(request: ConsoleRequest): Promise<SafeHtml | null> {
  const { context, operator, words } = request;
  const { takedowns: texts, common } = words.texts;
  const query = context.query();
  const given = TARGETS.flatMap((name) => {
    const value = query.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  if (given.length === 0) return null;
  const target = Object.fromEntries(given);
  const { count, said } = await countItems(request, parseTakedown({ ...target, limit: 0 }).target);
  const found = html`<p role="status"><strong>${said}</strong></p>`;
  if (count === 0) return found;
  const back = addressWith(PATH, query, { offset: null });
  const more =
    count > TAKEDOWN_ITEMS ? html`<p class="hint">${texts.inParts(words.number(TAKEDOWN_ITEMS))}</p>` : null;
  return html`${found}${more}
<form method="post" action="/admin/actions" class="console-form">${csrfField(operator)}${hidden({ ...target, back })}
<div class="field"><label for="reason">${common.reason}</label><input id="reason" name="reason" maxlength="${REASON_CHARACTERS}" required></div>
${'sha256' in target ? null : html`<label class="console-check"><input type="checkbox" name="blockContent" value="1"> ${texts.alsoBlock}</label>`}
<button class="button danger" name="action" value="take-down-many">${common.takeDownAsking}</button>
</form>`;
}

function row({ operator, words }: ConsoleRequest, block: BlockedContent): SafeHtml {
  const { takedowns: texts } = words.texts;
  const { hash, reason, blockedAt, blockedBy, expiresAt } = block;
  const short = hash.slice(0, 16);
  const items = `${PATH}?${new URLSearchParams({ sha256: hash })}`;
  const lift = actionForm(operator, 'unblock-content', texts.lift, { hash, back: PATH }, { name: short });
  return html`<tr><th scope="row"><a href="${items}" title="${hash}"><code>${short}…</code></a></th><td class="console-text">${reason}</td><td>${words.stamp(blockedAt)}</td><td>${blockedBy}</td><td>${words.stamp(expiresAt)}</td><td>${lift}</td></tr>
`;
}
