import { LIMITS } from '../../../../../shared/items/item.ts';
import { formatSize } from '../../../../../shared/pages/format-size.ts';
import { html } from '../../../../../shared/pages/html.ts';
import { ADMIN_SESSION_SECONDS } from '../../../auth/admin-session.ts';
import { PASSWORD_ATTEMPTS } from '../../../auth/passwords.ts';
import type { ConsolePage, ConsoleRequest } from './frame.ts';
import { facts, number, table } from './parts.ts';

/** The limits that this server has in force. None of its secrets are among them. */
export async function limitsPage({ deps, context }: ConsoleRequest): Promise<ConsolePage> {
  const { config, limits } = deps;
  const windows = await limits.windowsOf(context);
  const { ttlDaysMin, ttlDaysMax, ttlDaysDefault, privilegedTtlDaysMax, ...sizes } = LIMITS;
  const rows = windows.map(
    ({ name, counted, limit, windowSeconds }) =>
      html`<tr><th scope="row">${name}</th><td>${counted}</td><td class="end">${limit === null ? 'no limit' : number(limit)}</td><td>${windowOf(windowSeconds)}</td></tr>
`,
  );
  const body = html`<h2>Requests of one client</h2>
${table('Requests of one client', ['Window', 'Counted', 'Limit', 'Length'], rows, 'None.')}
${facts([
  ['Wrong passwords of an item', `${PASSWORD_ATTEMPTS.limit} in ${windowOf(PASSWORD_ATTEMPTS.seconds)}`],
  ['Wrong admin passwords', `10 in ${windowOf(900)}`],
  ['Values followed at once', config.watchersPerClient === 0 ? 'no limit' : number(config.watchersPerClient)],
  ['A sign-in lasts', windowOf(ADMIN_SESSION_SECONDS)],
])}
<h2>Items</h2>
${facts([
  [
    'Life',
    `${ttlDaysMin} to ${ttlDaysMax} days, ${ttlDaysDefault} when not said; of privileged owners up to ${privilegedTtlDaysMax}`,
  ],
  ['One site', formatSize(config.siteMaxBytes)],
  ...Object.entries(sizes).map(([name, value]) => [wordsOf(name), sizeOf(name, value)] as const),
])}
<h2>This server keeps</h2>
${facts([
  ['The access log', `${config.logRetentionDays} days`],
  [
    'Of the access log in a day and gateway',
    config.logMaxBytesPerDay === 0 ? 'no limit' : formatSize(config.logMaxBytesPerDay),
  ],
  ['Pages and files in memory', formatSize(config.cacheMaxBytes)],
])}`;
  return { title: 'Limits in force', body };
}

const sizeOf = (name: string, value: number): string =>
  name.endsWith('Bytes') ? formatSize(value) : number(value);

/** `kvKeyCharacters` as `kv key characters`. */
const wordsOf = (name: string): string =>
  name.replace(/Bytes$/, '').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

function windowOf(seconds: number): string {
  if (seconds % 3600 === 0) return seconds === 3600 ? 'an hour' : `${seconds / 3600} hours`;
  return seconds === 60 ? 'a minute' : `${seconds / 60} minutes`;
}
