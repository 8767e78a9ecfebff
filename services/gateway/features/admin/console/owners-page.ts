import { call } from '../../../../../shared/contracts/call.ts';
import {
  listOwners,
  OWNER_TIERS,
  type OwnerSummary,
  readMaxTtlDays,
} from '../../../../../shared/contracts/owner-admin.ts';
import { LIMITS } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { LABEL_CHARACTERS, parseOwnerSearch, USUAL_PRIVILEGE_DAYS } from '../owner-terms.ts';
import { NOTE_CHARACTERS } from '../review-input.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import {
  actionForm,
  addressWith,
  badge,
  csrfField,
  filterForm,
  hidden,
  pager,
  table,
  textField,
} from './parts.ts';

const PATH = '/admin/owners';
const PAGE = { default: 50, max: 200, id: null };

/** Owners, their items and their terms. */
export async function ownersPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { owners: texts, common, sections } = words.texts;
  const { kinds } = words;
  const query = context.query();
  const { page, filter: search } = parseListQuery(query, PAGE, parseOwnerSearch);
  const { offset, limit } = page;
  const { owners, total } = await call(deps.bus, listOwners, { search, offset, limit }, context.callContext);
  const [first] = owners;
  const isOne = search !== null && total === 1 && first !== undefined;
  const columns = [
    ...[common.owner, kinds.html.many, kinds.kv.many, kinds.json.many, kinds.file.many, kinds.site.many],
    ...[texts.stored, texts.firstSeen, texts.tier, common.change],
  ];
  const body = html`${filterForm(words, PATH, [textField('search', texts.search, search)])}
${table(
  sections.owners,
  columns,
  owners.map((owner) => row(request, owner)),
  texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}
${isOne ? termsForm(request, first, await daysOf(request, first)) : html`<p class="hint">${texts.hint}</p>`}`;
  return { title: sections.owners, body };
}

function row({ context, operator, words }: ConsoleRequest, owner: OwnerSummary): SafeHtml {
  const { owners: texts, tiers } = words.texts;
  const { ownerId, label, tier } = owner;
  const back = addressWith(PATH, context.query(), {});
  const short = ownerId.slice(0, 16);
  const takeDown = { name: texts.of(short), danger: true };
  const counts = [owner.htmlCount, owner.kvStoreCount, owner.jsonCount, owner.fileCount, owner.siteCount];
  return html`<tr><th scope="row"><a href="/admin/publications?${new URLSearchParams({ owner: ownerId }).toString()}"><code>${short}…</code></a>${label === null ? null : html`<br>${label}`}</th>
${counts.map((count) => html`<td class="end">${words.number(count)}</td>`)}<td class="end">${words.size(owner.storedBytes)}</td><td>${words.stamp(owner.firstSeen)}</td>
<td>${badge(tiers[tier], tier === 'PRIVILEGED' ? 'good' : 'plain')}</td>
<td><div class="console-acts"><a class="console-button" href="${PATH}?${new URLSearchParams({ search: ownerId }).toString()}" aria-label="${texts.termsOf(short)}">${texts.terms}</a>${actionForm(operator, 'take-down-owner', texts.takeDownAll, { owner: ownerId, back }, takeDown)}</div></td></tr>
`;
}

/** Days that an owner may give an item, or those that are offered to one without privileges. */
async function daysOf({ deps, context }: ConsoleRequest, { tier, ownerId }: OwnerSummary): Promise<number> {
  if (tier !== 'PRIVILEGED') return USUAL_PRIVILEGE_DAYS;
  const terms = await call(deps.bus, readMaxTtlDays, { ownerHash: ownerId }, context.callContext);
  return terms.maxTtlDays;
}

function termsForm(
  { context, operator, words }: ConsoleRequest,
  owner: OwnerSummary,
  days: number,
): SafeHtml {
  const { owners: texts, common, tiers } = words.texts;
  const back = addressWith(PATH, context.query(), {});
  return html`<h2>${texts.heading}</h2>
<form method="post" action="/admin/actions" class="console-form">${csrfField(operator)}${hidden({ owner: owner.ownerId, back })}
<div class="field"><label for="tier">${texts.tier}</label><select id="tier" name="tier">${OWNER_TIERS.map((tier) => html`<option value="${tier}"${tier === owner.tier ? html` selected` : null}>${tiers[tier]}</option>`)}</select></div>
<div class="field"><label for="days">${texts.days}</label><input id="days" name="days" type="number" min="1" max="${LIMITS.privilegedTtlDaysMax}" value="${days}"></div>
<div class="field"><label for="label">${texts.label}</label><input id="label" name="label" maxlength="${LABEL_CHARACTERS}" value="${owner.label ?? ''}"></div>
<div class="field"><label for="note">${common.note}</label><input id="note" name="note" maxlength="${NOTE_CHARACTERS}"></div>
<button class="button" name="action" value="terms">${texts.save}</button>
</form>`;
}
