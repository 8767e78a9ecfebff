import { LIMITS } from '../../../../../shared/items/item.ts';
import { html } from '../../../../../shared/pages/html.ts';
import { WRONG_PASSWORDS } from '../../../auth/admin-password.ts';
import { ADMIN_SESSION_SECONDS } from '../../../auth/admin-session.ts';
import { PASSWORD_ATTEMPTS } from '../../../auth/passwords.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { facts, table } from './parts.ts';
import type { Words } from './words.ts';

/** The limits that this server has in force. None of its secrets are among them. */
export async function limitsPage({ deps, context, words }: ConsoleRequest): Promise<ConsolePage> {
  const { config, limits } = deps;
  const { limits: texts, common, lengths } = words.texts;
  const windows = await limits.windowsOf(context);
  const { ttlDaysMin, ttlDaysMax, ttlDaysDefault, privilegedTtlDaysMax, ...sizes } = LIMITS;
  const labels: Readonly<Record<string, string>> = texts.sizes satisfies Record<keyof typeof sizes, string>;
  const numberOrNone = (value: number | null): string =>
    value === null || value === 0 ? common.noLimit : words.number(value);
  const within = (count: number, seconds: number): string =>
    texts.within(words.number(count), lengthOf(seconds, words));
  const rows = windows.map(
    ({ name, limit, windowSeconds }) =>
      html`<tr><th scope="row"><code>${name}</code></th><td>${texts.windows[name]}</td><td class="end">${numberOrNone(limit)}</td><td>${lengthOf(windowSeconds, words)}</td></tr>
`,
  );
  const body = html`<h2>${texts.client}</h2>
${table(texts.client, [texts.window, texts.counted, texts.limit, texts.length], rows, common.nothing)}
${facts(words, [
  [texts.itemPasswords, within(PASSWORD_ATTEMPTS.limit, PASSWORD_ATTEMPTS.seconds)],
  [texts.adminPasswords, within(WRONG_PASSWORDS.limit, WRONG_PASSWORDS.seconds)],
  [texts.watchers, numberOrNone(config.watchersPerClient)],
  [texts.session, lengthOf(ADMIN_SESSION_SECONDS, words)],
])}
<h2>${texts.items}</h2>
${facts(words, [
  [texts.life, texts.days(ttlDaysMin, ttlDaysMax, ttlDaysDefault, privilegedTtlDaysMax)],
  [texts.site, words.size(config.siteMaxBytes)],
  ...Object.entries(sizes).map(
    ([name, value]) =>
      [labels[name] ?? name, name.endsWith('Bytes') ? words.size(value) : words.number(value)] as const,
  ),
])}
<h2>${texts.kept}</h2>
${facts(words, [
  [texts.log, lengths.day(config.logRetentionDays)],
  [texts.logBytes, config.logMaxBytesPerDay === 0 ? common.noLimit : words.size(config.logMaxBytesPerDay)],
  [texts.memory, words.size(config.cacheMaxBytes)],
])}`;
  return { title: texts.title, body };
}

const lengthOf = (seconds: number, { texts: { lengths } }: Words): string =>
  seconds % 3600 === 0 ? lengths.hour(seconds / 3600) : lengths.minute(seconds / 60);
