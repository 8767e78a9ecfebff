import { Type } from '@sinclair/typebox';
import { PATH_CHARACTERS, USER_AGENT_CHARACTERS } from '../../../../shared/contracts/access-log.ts';
import { AUDIT_ACTIONS } from '../../../../shared/contracts/audit.ts';
import { NOTIFICATION_STATES } from '../../../../shared/contracts/notifications.ts';
import { ITEM_STATES } from '../../../../shared/contracts/publications.ts';
import { REPORT_STATUSES } from '../../../../shared/contracts/reports.ts';
import { KINDS } from '../../../../shared/items/item.ts';
import type { Parameter } from '../operation.ts';
import { bare, CHARACTERS } from '../text-patterns.ts';
import { flag, inHeader, inQuery, line, oneOf, text, upTo } from './parts.ts';

const RESOURCE = `^/?(?:${bare(CHARACTERS.namespace)}/)?${bare(CHARACTERS.id)}$|^/?${bare(CHARACTERS.namespace)}$`;

const IP_ADDRESS = Type.Union([Type.String({ format: 'ipv4' }), Type.String({ format: 'ipv6' })], {
  examples: ['192.0.2.1', '2001:db8::1'],
});

const instant = (...examples: string[]) =>
  Type.Union([Type.String({ format: 'date' }), Type.String({ format: 'date-time' })], { examples });

/** How far back statistics go; a server keeps its log for so many days. */
export const logDays = (retention: number): Parameter =>
  inQuery(
    'days',
    'How many days, today being the last of them; at most those for which this server keeps its log.',
    upTo(retention, Math.min(7, retention), 1),
  );

/** Parameters of `/api/admin`. */
export const OPERATOR = {
  AdminPassword: inHeader(
    'X-Admin-Password',
    "The operator's password. After ten wrong ones within 15 minutes 429, also for the right one. Pages of the console send the cookie of a sign-in instead.",
    text('correct horse battery staple'),
  ),
  LogIp: inQuery('ip', 'Requests of this address, as the log shows it.', IP_ADDRESS),
  LogMethod: inQuery(
    'method',
    'Requests with this method.',
    Type.String({ pattern: '^[A-Za-z-]{1,20}$', examples: ['GET'] }),
  ),
  LogStatus: inQuery(
    'status',
    'Requests answered with this status, or with one of a class.',
    Type.String({ pattern: '^[1-5](?:\\d\\d|[xX]{2})$', examples: ['404', '4xx'] }),
  ),
  LogPath: inQuery(
    'path',
    'Requests whose path begins with this.',
    Type.String({
      maxLength: PATH_CHARACTERS,
      pattern: `^/${bare(CHARACTERS.line)}$`,
      examples: ['/public/'],
    }),
  ),
  LogResource: inQuery(
    'resource',
    'Requests that met this item, as `namespace/id` or by its id alone, or any item of this namespace. `ip` is passed over then.',
    Type.String({ pattern: RESOURCE, examples: ['public/Ab3dE6gH9k', 'Ab3dE6gH9k', 'team-notes'] }),
  ),
  LogUserAgent: inQuery(
    'ua',
    'Requests whose User-Agent contains this, in any case.',
    line('MyAgent', USER_AGENT_CHARACTERS),
  ),
  LogFrom: inQuery(
    'from',
    'Requests from this instant or date (UTC) on.',
    instant('2026-11-21', '2026-11-21T07:20:21Z'),
  ),
  LogTo: inQuery(
    'to',
    'Requests before this instant or date (UTC).',
    instant('2026-11-22', '2026-11-22T09:00:00+01:00'),
  ),
  LogLimit: inQuery('limit', 'Entries on a page.', upTo(1000, 100)),
  ListOffset: inQuery(
    'offset',
    'Entries to leave out first.',
    Type.Integer({ minimum: 0, maximum: 100_000, default: 0, examples: [100] }),
  ),
  ListCursor: inQuery(
    'cursor',
    'Of the link `next` of an earlier answer: goes on there.',
    text('MTc5NTI0NjQyMTAwMC40NzEx'),
  ),
  LogDays: logDays(30),
  ReportStatus: inQuery('status', 'Reports of this status only.', oneOf(REPORT_STATUSES, 'new')),
  ReportItem: inQuery(
    'item',
    'Reports about this item only, as `namespace/id`.',
    Type.String({
      pattern: `^${bare(CHARACTERS.namespace)}/${bare(CHARACTERS.id)}$`,
      examples: ['public/Ab3dE6gH9k'],
    }),
  ),
  ReportedStatus: inQuery(
    'status',
    'Items that have a report of this status.',
    oneOf(REPORT_STATUSES, 'new'),
  ),
  ReportedItemsLimit: inQuery('limit', 'Items in one answer.', upTo(100, 50)),
  PublicationType: inQuery('type', 'Items of this kind only.', oneOf(KINDS, 'html')),
  PublicationNamespace: inQuery(
    'namespace',
    'Items of this namespace only.',
    Type.String({ pattern: CHARACTERS.namespace, examples: ['public'] }),
  ),
  PublicationId: inQuery(
    'id',
    'Items with this id only.',
    Type.String({ pattern: CHARACTERS.id, examples: ['Ab3dE6gH9k'] }),
  ),
  PartOfSite: inQuery('part', 'The path of a file within a site.', text('index.html')),
  PublicationState: inQuery('state', 'Items in this state only.', oneOf(ITEM_STATES, 'hidden')),
  PublicationOwner: inQuery(
    'owner',
    'Items of this owner only.',
    Type.String({
      pattern: '^[0-9A-Fa-f]{64}$',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
  ),
  PublicationClient: inQuery('ip', 'Items whose create came from this address.', IP_ADDRESS),
  PublicationsLimit: inQuery('limit', 'Items in one answer.', upTo(200, 50)),
  OwnerSearch: inQuery(
    'search',
    "How the owner's id, or their label, begins; in any case.",
    line('9f86d081', 100),
  ),
  OwnersLimit: inQuery('limit', 'Owners in one answer.', upTo(200, 50)),
  TokenToResolve: {
    ...inQuery(
      'token',
      'An owner token.',
      Type.String({
        minLength: 1,
        maxLength: 512,
        pattern: '\\S',
        examples: ['own_Jx0pZ6Wc2Vn7bQ1sT4uY8kLmN3rE5aG9hDfKiOjPqRt'],
      }),
    ),
    required: true,
  },
  NotificationState: inQuery('state', 'Messages in this state only.', oneOf(NOTIFICATION_STATES, 'dead')),
  BlockContent: inQuery(
    'blockContent',
    ...flag(
      'Its content cannot be stored again for 90 days, either; of a site the file that it begins with.',
    ),
  ),
  BlocksActive: inQuery(
    'active',
    'Entries in force, or with `false` the others. Goes before `includeInactive`.',
    Type.Boolean({ examples: [true] }),
  ),
  BlocksInactive: inQuery('includeInactive', ...flag('Those that are over or were removed, too.')),
  BlockType: inQuery(
    'type',
    'Entries with an address or network, or with a part of the User-Agent.',
    oneOf(['ip', 'ua'], 'ip'),
  ),
  BlocksLimit: inQuery('limit', 'Entries in one answer.', upTo(1000, 100)),
  AuditAction: inQuery('action', 'Entries of this action only.', oneOf(AUDIT_ACTIONS, 'take-down-item')),
  AuditLimit: inQuery('limit', 'Entries in one answer.', upTo(200, 50)),
  ReportsLimit: inQuery('limit', 'Reports in one answer.', upTo(100, 50)),
} satisfies Record<string, Parameter>;
