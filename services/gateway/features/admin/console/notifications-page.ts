import { call } from '../../../../../shared/contracts/call.ts';
import {
  listNotifications,
  NOTIFICATION_STATES,
  type Notification,
} from '../../../../../shared/contracts/notifications.ts';
import { html, type SafeHtml } from '../../../../../shared/pages/html.ts';
import { parseListQuery } from '../list-page.ts';
import { parseNotificationState } from '../notifications.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { actionForm, addressWith, badge, choiceField, filterForm, pager, table } from './parts.ts';

const PATH = '/admin/notifications';
const PAGE = { default: 50, max: 200, id: null };

/** Messages to the operator by webhook and e-mail. */
export async function notificationsPage(request: ConsoleRequest): Promise<ConsolePage> {
  const { deps, context, words } = request;
  const { notifications: texts, common, sections } = words.texts;
  const query = context.query();
  const { page, filter: state } = parseListQuery(query, PAGE, parseNotificationState);
  const { offset, limit } = page;
  const input = { state, offset, limit };
  const { notifications, total } = await call(deps.bus, listNotifications, input, context.callContext);
  const columns = [
    ...[common.when, texts.channel, texts.about, common.state, texts.attempts],
    ...[texts.next, texts.error, common.change],
  ];
  const choices = NOTIFICATION_STATES.map((one) => [one, texts.states[one]] as const);
  const body = html`<p class="lead">${texts.lead}</p>
${filterForm(words, PATH, [choiceField('state', common.state, texts.any, choices, state)])}
${table(
  sections.notifications,
  columns,
  notifications.map((one) => row(request, one)),
  texts.none,
)}
${pager(words, PATH, query, { offset, limit, total })}`;
  return { title: sections.notifications, body };
}

const TONES = { waiting: 'warn', sent: 'good', dead: 'bad' } as const;

function row({ context, operator, words }: ConsoleRequest, message: Notification): SafeHtml {
  const { notifications: texts } = words.texts;
  const { id, channel, type, state, attempts, createdAt, dueAt, lastError } = message;
  const back = addressWith(PATH, context.query(), {});
  const again =
    state === 'dead' ? actionForm(operator, 'resend', texts.again, { id, back }, { name: id }) : null;
  return html`<tr><td>${words.stamp(createdAt)}</td><td>${texts.channels[channel]}</td><th scope="row"><code>${type}</code></th><td>${badge(texts.states[state], TONES[state])}</td><td class="end">${words.number(attempts)}</td><td>${state === 'waiting' ? words.stamp(dueAt) : null}</td><td class="console-text">${lastError}</td><td>${again}</td></tr>
`;
}
