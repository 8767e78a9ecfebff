import { call } from '../../../../../shared/contracts/call.ts';
import { listOwners, OWNER_TIERS, type OwnerSummary } from '../../../../../shared/contracts/owner-admin.ts';
import { LIMITS } from '../../../../../shared/items/item.ts';
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { LABEL_CHARACTERS, parseOwnerSearch } from '../owner-id.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import {
  actionForm,
  addressWith,
  badge,
  filterForm,
  formMark,
  hidden,
  number,
  pager,
  stamp,
  table,
  textField,
} from './parts.ts';

const PATH = '/admin/owners';
const PAGE = { default: 50, max: 200, id: null };
const COLUMNS = [
  'Owner',
  'Pages',
  'Stores',
  'JSON',
  'Files',
  'Sites',
  'Stored',
  'First seen',
  'Tier',
  'Change',
];

/** Owners, their items and their terms. */
export async function ownersPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context } = request;
  const query = context.query();
  const { page, filter: search } = parseListQuery(query, PAGE, parseOwnerSearch);
  const { offset, limit } = page;
  const { owners, total } = await call(deps.bus, listOwners, { search, offset, limit }, context.callContext);
  const [first] = owners;
  const isOne = search !== null && total === 1 && first !== undefined;
  const body = html`${filterForm(PATH, [textField('search', 'Beginning of the id or label', search)])}
${table(
  'Owners',
  COLUMNS,
  owners.map((owner) => row(request, owner)),
  'No owner passes this filter.',
)}
${pager(PATH, query, { offset, limit, total })}
${isOne ? termsForm(request, first) : html`<p class="hint">Search for one owner to change their terms.</p>`}`;
  return { title: 'Owners', body };
}

function row({ context, operator }: ConsoleRequest, owner: OwnerSummary): SafeHtml {
  const { ownerId, label, tier } = owner;
  const back = addressWith(PATH, context.query(), {});
  const counts = [owner.htmlCount, owner.kvStoreCount, owner.jsonCount, owner.fileCount, owner.siteCount];
  return html`<tr><th scope="row"><a href="/admin/publications?${new URLSearchParams({ owner: ownerId }).toString()}"><code>${ownerId.slice(0, 16)}…</code></a>${label === null ? null : html`<br>${label}`}</th>
${counts.map((count) => html`<td class="end">${number(count)}</td>`)}<td class="end">${formatSize(owner.storedBytes)}</td><td>${stamp(owner.firstSeen)}</td>
<td>${badge(tier.toLowerCase(), tier === 'PRIVILEGED' ? 'good' : 'plain')}</td>
<td><div class="console-acts"><a class="console-button" href="${PATH}?${new URLSearchParams({ search: ownerId }).toString()}" aria-label="Terms of ${ownerId.slice(0, 16)}">Terms</a>${actionForm(operator, 'take-down-owner', 'Take down all', { owner: ownerId, back }, { name: `of ${ownerId.slice(0, 16)}`, danger: true })}</div></td></tr>
`;
}

function termsForm({ context, operator }: ConsoleRequest, owner: OwnerSummary): SafeHtml {
  const back = addressWith(PATH, context.query(), {});
  return html`<h2>Terms of this owner</h2>
<form method="post" action="/admin/actions" class="console-form">${formMark(operator)}${hidden({ owner: owner.ownerId, back })}
<div class="field"><label for="tier">Tier</label><select id="tier" name="tier">${OWNER_TIERS.map((tier) => html`<option value="${tier}"${tier === owner.tier ? html` selected` : null}>${tier.toLowerCase()}</option>`)}</select></div>
<div class="field"><label for="days">Days an item may be given, if privileged</label><input id="days" name="days" type="number" min="1" max="${LIMITS.privilegedTtlDaysMax}" value="365"></div>
<div class="field"><label for="label">Label</label><input id="label" name="label" maxlength="${LABEL_CHARACTERS}" value="${owner.label ?? ''}"></div>
<div class="field"><label for="note">Note</label><input id="note" name="note" maxlength="5000"></div>
<button class="button" name="action" value="terms">Save terms</button>
</form>`;
}
