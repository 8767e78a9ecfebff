import { type Static, Type } from '@sinclair/typebox';
import { FileContent, HtmlContent, JsonContent, KvContent, SiteContent } from './content.ts';
import { DeliveryMode } from './delivery-mode.ts';
import type { Kind } from './item.ts';
import { QuarantineState } from './quarantine.ts';

const RecordBase = {
  namespace: Type.String(),
  id: Type.String(),
  /** Grows with every change of any item, and over removal and re-creation: the newer record wins. */
  version: Type.Integer(),
  expiresAt: Type.Integer({ description: 'milliseconds since the epoch' }),
};

const LiveBase = {
  ...RecordBase,
  state: Type.Literal('live'),
  /** The short code; also tells this item from an earlier one under the same address. */
  code: Type.String(),
  title: Type.String(),
  tags: Type.Array(Type.String()),
  sizeBytes: Type.Integer(),
  createdAt: Type.Integer(),
  updatedAt: Type.Integer(),
  ownerHash: Type.String(),
  passwordHash: Type.Union([Type.String(), Type.Null()]),
  /** Views the database knows of: where counting goes on after the cache was lost. Earlier releases do not tell. */
  savedViews: Type.Optional(Type.Integer()),
  /** Hidden by the operator: there for its owner alone. Left out when it is not. */
  hidden: Type.Optional(Type.Boolean()),
  /** Why it is hidden, when the operator has not: it is in quarantine. Left out when it is not. */
  quarantine: Type.Optional(QuarantineState),
  /** Where its owner wants it served; left out when the owner has not said. */
  deliveryMode: Type.Optional(DeliveryMode),
  /** The label of its own host; left out while it has none. */
  label: Type.Optional(Type.String()),
  /** Grows with each change of `deliveryMode`, from 1, which is left out. */
  hostingVersion: Type.Optional(Type.Integer()),
  /** The domain of its owner's that it holds; left out while it holds none. */
  domain: Type.Optional(Type.String()),
};

/** All a gateway needs to answer reads of an item and to tell its owner, without asking the database. */
export const LiveItemRecord = Type.Union([
  Type.Object({ ...LiveBase, kind: Type.Literal('html'), content: HtmlContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('json'), content: JsonContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('file'), content: FileContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('site'), content: SiteContent }),
  Type.Object({ ...LiveBase, kind: Type.Literal('kv'), content: KvContent }),
]);
export type LiveItemRecord = Static<typeof LiveItemRecord>;

/** The live record of one kind. */
export type ItemRecordOf<K extends Kind> = Extract<LiveItemRecord, { kind: K }>;

/** Stays a while where an item was removed, so that no late cache fill brings the item back. */
export const RemovedItemRecord = Type.Object({ ...RecordBase, state: Type.Literal('removed') });
export type RemovedItemRecord = Static<typeof RemovedItemRecord>;

export const ItemRecord = Type.Union([LiveItemRecord, RemovedItemRecord]);
export type ItemRecord = Static<typeof ItemRecord>;

/** How long a removal is remembered in the cache; far longer than any request that may still carry the old record. */
export const REMOVED_RECORD_MS = 3_600_000;

/** Whether everybody may read an item who has its address: it has no password, and is not hidden from all but its owner. */
export const isUnrestricted = ({
  passwordHash,
  hidden,
}: Pick<LiveItemRecord, 'passwordHash' | 'hidden'>): boolean => passwordHash === null && hidden !== true;

/** Whether a read counts as a view without further proof. */
export const isOpen = (record: ItemRecord): boolean => record.state === 'live' && isUnrestricted(record);

/** Whether there is an item at that moment (ms since the epoch), though it may be hidden from all but its owner. */
export const isLive = (record: ItemRecord | null, now: number): record is LiveItemRecord =>
  record?.state === 'live' && record.expiresAt > now;

/** Whether there is an item at that moment (ms since the epoch) that is not hidden from all but its owner. */
export const isVisible = (record: ItemRecord | null, now: number): record is LiveItemRecord =>
  isLive(record, now) && record.hidden !== true;

/** Whether a record is of a kind, for addresses that name one. */
export const isKind = <K extends Kind>(record: LiveItemRecord, kind: K): record is ItemRecordOf<K> =>
  record.kind === kind;
