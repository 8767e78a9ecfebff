import type { ItemRef } from '../items/item.ts';

/** An item that a message names. */
export interface ToldItem extends ItemRef {
  type: string;
}

/** Anything that the operator is told of. */
export type AbuseEvent =
  | {
      type: 'report.created';
      data: {
        reportId: string;
        category: string;
        description: string;
        reportedUrl: string;
        item: ItemRef | null;
      };
    }
  | { type: 'item.hidden'; data: { item: ToldItem; reporters: number } }
  | {
      type: 'items.taken_down';
      data: { by: 'item' | 'owner' | 'network' | 'content'; target: string; items: ToldItem[] };
    };

/** The body of a webhook, in the form that Standard Webhooks recommends. */
export const webhookBodyOf = ({ type, data }: AbuseEvent, now: number): string =>
  JSON.stringify({ type, timestamp: new Date(now).toISOString(), data });

export interface Email {
  subject: string;
  text: string;
}

/** The e-mail about a report; `null` for what is told by webhook alone. @param baseUrl where the console is */
export function emailOf(event: AbuseEvent, baseUrl: string | null): Email | null {
  if (event.type !== 'report.created') return null;
  const { reportId, category, description, reportedUrl, item } = event.data;
  const about = item === null ? reportedUrl : `/${item.namespace}/${item.id}`;
  const review = baseUrl === null ? `/admin/reports/${reportId}` : `${baseUrl}/admin/reports/${reportId}`;
  return {
    subject: `Report (${category}): ${about}`.slice(0, 200),
    text: `Somebody has reported ${about}.\n\nReason: ${category}\nReported address: ${reportedUrl}\n\n${description}\n\nReview it: ${review}\n`,
  };
}
