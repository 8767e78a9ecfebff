import type { SettingReader } from './setting-reader.ts';

export interface IndexNowSettings {
  /** The key of IndexNow, by which search engines know announcements of this service; `null`: none. */
  indexNowKey: string | null;
  /** Where new and changed items of the gallery are announced; `null`: nowhere. */
  indexNow: { endpoint: string; key: string; itemsUrl: string } | null;
}

/** Where the operator is told of reports and takedowns. */
export interface NotificationSettings {
  webhook: WebhookSettings | null;
  email: EmailSettings | null;
  /** Pause after the first failure in ms, which doubles with each further one, and attempts at most. */
  firstRetryMs: number;
  attempts: number;
}

export interface WebhookSettings {
  url: string;
  /** Secret in the form of Standard Webhooks: `whsec_` and the key in base64. */
  secret: string;
  /** Whether the receiver may have an address that is not of the public internet. */
  allowPrivate: boolean;
}

export interface EmailSettings {
  smtpUrl: string;
  from: string;
  to: string[];
}

/**
 * Announcements need the key that search engines ask for, and addresses that are right for everybody.
 * @param itemsUrl where items are, if that is one host
 */
export function readIndexNow(read: SettingReader, itemsUrl: string | null): IndexNowSettings {
  const key = read.text('INDEXNOW_KEY');
  if (key !== null && !/^[A-Za-z0-9-]{8,128}$/.test(key))
    read.issue('INDEXNOW_KEY', key, '8 to 128 letters, digits and hyphens');
  const endpoint = read.url('INDEXNOW_ENDPOINT', ['http:', 'https:']);
  if (endpoint === null) return { indexNowKey: key, indexNow: null };
  read.requireAlso('INDEXNOW_KEY', 'INDEXNOW_ENDPOINT');
  if (itemsUrl === null) read.requireAlso('BASE_URL', 'INDEXNOW_ENDPOINT');
  return { indexNowKey: key, indexNow: { endpoint, key: key ?? '', itemsUrl: itemsUrl ?? '' } };
}

export function readNotifications(read: SettingReader): NotificationSettings {
  const url = read.url('WEBHOOK_URL', ['http:', 'https:']);
  const secret = read.text('WEBHOOK_SECRET');
  if (url !== null && new URL(url).username !== '')
    read.issue('WEBHOOK_URL', '(hidden)', 'an address without a user and password');
  if (url !== null) read.requireAlso('WEBHOOK_SECRET', 'WEBHOOK_URL');
  if (secret !== null && !/^whsec_[A-Za-z0-9+/]{32,128}={0,2}$/.test(secret))
    read.issue('WEBHOOK_SECRET', secret, 'whsec_ and at least 24 random bytes in base64');
  const smtpUrl = read.url('SMTP_URL', ['smtp:', 'smtps:']);
  const from = read.text('EMAIL_FROM');
  const to = (read.text('EMAIL_TO') ?? '').split(',').map((one) => one.trim());
  const isAddress = (text: string): boolean => /^[^\s@<>,]{1,64}@[^\s@<>,]{1,255}$/.test(text);
  if (smtpUrl !== null && (from === null || !isAddress(from)))
    read.issue('EMAIL_FROM', from ?? '(nothing)', 'an e-mail address, because SMTP_URL is set');
  if (smtpUrl !== null && !to.every(isAddress))
    read.issue(
      'EMAIL_TO',
      to.join(',') || '(nothing)',
      'e-mail addresses with commas between, because SMTP_URL is set',
    );
  const allowPrivate = read.flag('WEBHOOK_ALLOW_PRIVATE', false);
  return {
    webhook: url === null ? null : { url, secret: secret ?? '', allowPrivate },
    email: smtpUrl === null ? null : { smtpUrl, from: from ?? '', to },
    firstRetryMs: read.integer('NOTIFY_RETRY_SECONDS', 10, 1, 3_600) * 1000,
    attempts: read.integer('NOTIFY_ATTEMPTS', 16, 1, 100),
  };
}
