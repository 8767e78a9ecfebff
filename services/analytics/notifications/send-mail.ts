import { createTransport } from 'nodemailer';
import type { EmailSettings } from '../../../shared/config.ts';
import type { Email } from '../../../shared/notifications/messages.ts';
import { ANSWER_LIMIT_MS } from './post-webhook.ts';

/**
 * Longest that the delivery of a mail may take, in ms, all of its steps together: a server that answers each of them late must not
 * outlast the lease of the message (`deliver.ts`).
 */
const DELIVERY_LIMIT_MS = 40_000;

/**
 * Sends a mail by SMTP. Its Message-ID is the same in every attempt, so that a mailbox may tell a second one.
 * @throws Error of the server, or when it takes too long
 */
export async function sendMail(
  { smtpUrl, from, to }: EmailSettings,
  { id, payload }: { id: string; payload: string },
  limitMs = DELIVERY_LIMIT_MS,
): Promise<void> {
  const signal = AbortSignal.timeout(limitMs);
  const { subject, text } = JSON.parse(payload) as Email;
  const transport = createTransport({
    url: smtpUrl,
    ...{
      connectionTimeout: ANSWER_LIMIT_MS,
      greetingTimeout: ANSWER_LIMIT_MS,
      socketTimeout: ANSWER_LIMIT_MS,
    },
    ...{ dnsTimeout: ANSWER_LIMIT_MS, disableFileAccess: true, disableUrlAccess: true },
  });
  const domain =
    from
      .split('@')
      .at(-1)
      ?.replace(/[^\w.-]/g, '') || 'perch';
  try {
    await transport.sendMail({ from, to, subject, text, messageId: `<${id}@${domain}>`, signal });
  } finally {
    transport.close();
  }
}
