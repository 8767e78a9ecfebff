import { createTransport } from 'nodemailer';
import type { EmailSettings } from '../../../shared/config/announcements.ts';
import type { Email } from '../../../shared/notifications/messages.ts';
import { ANSWER_LIMIT_MS } from './post-webhook.ts';

/**
 * Longest that the delivery of a mail may take, in ms, all of its steps together: a server that answers each of them late must not
 * outlast the lease of the message (`deliver.ts`).
 */
const DELIVERY_LIMIT_MS = 40_000;

/**
 * Sends a mail by SMTP to all of its recipients. Its Message-ID is the same in every attempt, so that a mailbox may tell a second
 * one. Returns the recipients that the server will never take.
 * @throws Error of the server, when it takes too long, or when one of the recipients is to be tried again
 */
export async function sendMail(
  { smtpUrl, from, to }: EmailSettings,
  { id, payload }: { id: string; payload: string },
  limitMs = DELIVERY_LIMIT_MS,
): Promise<string[]> {
  const signal = AbortSignal.timeout(limitMs);
  const { subject, text } = JSON.parse(payload) as Email;
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: ANSWER_LIMIT_MS,
    greetingTimeout: ANSWER_LIMIT_MS,
    socketTimeout: ANSWER_LIMIT_MS,
    dnsTimeout: ANSWER_LIMIT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain =
    from
      .split('@')
      .at(-1)
      ?.replace(/[^\w.-]/g, '') || 'perch';
  try {
    const mail = { from, to, subject, text, messageId: `<${id}@${domain}>`, signal };
    // With one recipient that was taken the client calls the mail sent.
    const { rejected, rejectedErrors = [] } = await transport.sendMail(mail);
    const forNow = rejectedErrors.find(({ responseCode }) => !isForGood(responseCode));
    if (forNow !== undefined) throw forNow;
    return rejected.map(String);
  } finally {
    transport.close();
  }
}

/** RFC 5321, section 4.2.1: after 5yz the same is not to be tried again. */
const isForGood = (responseCode: number | undefined): boolean =>
  responseCode !== undefined && responseCode >= 500;
