import { call } from '../../../../../shared/contracts/call.ts';
import {
  listPublications,
  type Publication,
  type PublicationFilter,
} from '../../../../../shared/contracts/publications.ts';
import { describeScans, type ScanRun, type ScanState } from '../../../../../shared/contracts/scans.ts';
import { itemKey } from '../../../../../shared/items/item.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, facts, pager, table } from './parts.ts';
import type { Words } from './words.ts';

const PATH = '/admin/scans';
const PAGE = { default: 50, max: 200, id: null };

const QUARANTINED: PublicationFilter = { kind: null, namespace: null, id: null, state: 'quarantined' };

/** The scanner and the blocklist of links, items in quarantine, and rescans of all that is stored. */
export async function scansPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, operator, words } = request;
  const { scans: texts, common, sections } = words.texts;
  const query = context.query();
  const { page } = parseListQuery(query, PAGE, () => null);
  const { offset, limit } = page;
  const [state, { publications, total }] = await Promise.all([
    call(deps.bus, describeScans, {}, context.callContext),
    call(deps.bus, listPublications, { filter: QUARANTINED, offset, limit }, context.callContext),
  ]);
  const isUsed = state.scanner !== 'none' || state.links !== null;
  const start = actionForm(operator, 'rescan', texts.start, { back: PATH }, { name: '' });
  const body = html`${facts(words, settingsOf(state, words))}
<h2>${texts.found}</h2>
${table(
  texts.found,
  [common.item, common.kind, texts.cause, texts.verdict, texts.since, common.owner, common.change],
  publications.map((item) => row(request, item)),
  texts.none,
)}
${pager(words, PATH, query, { offset, limit, total: total.count, isLowerBound: total.isLowerBound })}
<h2>${texts.rescans}</h2>
${isUsed ? html`<p>${texts.rescanHint}</p>${start}` : html`<p class="muted">${texts.unused}</p>`}
${table(
  texts.rescans,
  [texts.started, texts.by, common.state, texts.queued, texts.scanned, texts.hits, texts.signatures],
  state.runs.map((run) => runRow(run, words)),
  texts.noRescan,
)}`;
  return { title: sections.scans, body };
}

function settingsOf(state: ScanState, words: Words): Array<[string, SafeHtml | string]> {
  const { scans: texts } = words.texts;
  const { links } = state;
  const tone = { none: 'plain', up: 'good', down: 'bad' } as const;
  const file =
    links === null
      ? texts.noLinks
      : html`${texts.hosts(links.hosts, words.number(links.hosts))}${links.badLines > 0 ? html` ${badge(texts.badLines(links.badLines, words.number(links.badLines)), 'warn')}` : null}${links.problem === null ? null : html` ${badge(texts.linksProblem(links.problem), 'bad')}`}`;
  return [
    [
      texts.scanner,
      html`${badge(texts.scannerStates[state.scanner], tone[state.scanner])}${state.version === null ? null : html` ${state.version}`}`,
    ],
    ...(state.scanner === 'none'
      ? []
      : ([
          [texts.mode, texts.modes[state.mode]],
          [texts.whenAway, texts.whenAwayOf[state.whenAway]],
          [texts.waiting, words.number(state.waiting)],
        ] satisfies Array<[string, string]>)),
    [texts.links, file],
  ];
}

function row({ operator, words }: ConsoleRequest, item: Publication): SafeHtml {
  const { scans: texts, common } = words.texts;
  const key = itemKey(item);
  const { quarantine } = item;
  const act = (action: string, label: string, fields: Record<string, string>, danger = false): SafeHtml =>
    actionForm(operator, action, label, { item: key, back: PATH, ...fields }, { name: key, danger });
  const part = quarantine?.part ?? null;
  const address = addressWith(`/api/admin/items/${key}/bytes`, new URLSearchParams(), { part });
  // A site without a file of its own has nothing to fetch.
  const fetching =
    item.kind === 'site' && part === null
      ? null
      : html`<a class="console-button" href="${address}" aria-label="${texts.fetch} ${key}">${texts.fetch}</a>`;
  const owner = addressWith('/admin/publications', new URLSearchParams(), { owner: item.ownerId });
  return html`<tr><th scope="row">${key}${item.title === '' ? null : html`<br><span class="muted">${item.title}</span>`}</th><td>${words.kinds[item.kind].one}</td>
<td>${quarantine ? badge(texts.causes[quarantine.cause], quarantine.cause === 'unscanned' ? 'plain' : 'warn') : null}</td><td class="console-text">${quarantine?.verdict ?? ''}${part === null ? null : html`<br><span class="muted">${part}</span>`}</td><td>${quarantine ? words.stamp(quarantine.since) : null}</td>
<td><a href="${owner}"><code>${item.ownerId.slice(0, 12)}…</code></a></td><td><div class="console-acts">${fetching}${act('release', texts.release, { finding: item.findingId ?? '' })}${act('take-down', common.takeDown, {}, true)}</div></td></tr>
`;
}

function runRow(run: ScanRun, words: Words): SafeHtml {
  const { scans: texts } = words.texts;
  const state =
    run.finishedAt === null
      ? badge(texts.goesOn, 'warn')
      : html`${texts.ended} ${words.stamp(run.finishedAt)}`;
  return html`<tr><th scope="row">${words.stamp(run.startedAt)}</th><td>${texts.starters[run.startedBy]}</td><td>${state}</td><td class="end">${words.number(run.queued)}</td><td class="end">${words.number(run.scanned)}</td><td class="end">${words.number(run.found)}</td><td>${run.scanner}</td></tr>
`;
}
