import type { CallContext } from '../call-context.ts';
import type { CreateInput, IdempotencyRecord } from '../contracts/create.ts';
import { errors } from '../errors.ts';
import { newItemId, newItemLabel, newShortCode } from '../ids.ts';
import { PerchError } from '../perch-error.ts';
import { announceItem } from './announce-item.ts';
import { claimBlobs, discardBlobs } from './blob-trash.ts';
import { assertStorable, etagsOf } from './blocked-content.ts';
import { blobKeysOf } from './content.ts';
import { findByIdempotencyKey } from './idempotency-keys.ts';
import { insertItem } from './insert-items.ts';
import { type ItemRef, type Kind, LIMITS } from './item.ts';
import type { Admission, ItemDependencies } from './item-dependencies.ts';
import { noteLabel } from './item-labels.ts';
import {
  type AnyItem,
  CONSTRAINTS,
  type ContentChange,
  findItem,
  type Item,
  toItemRecord,
} from './item-repository.ts';
import { assertTtlAllowed } from './owner-terms.ts';
import { visibilityOf } from './quarantine.ts';
import { queueScan } from './scan-queue.ts';
import { brokenConstraint, type Query } from './sql.ts';
import { buryItems } from './tombstones.ts';
import { writeInTime } from './write-in-time.ts';

/** Most attempts when a random id or short code is already taken. */
const MAX_ATTEMPTS = 5;

/** The part of a create that depends on the kind. */
export interface CreateOptions<K extends Kind> {
  kind: K;
  content: ContentChange<K>;
  /**
   * Runs before the insert, in its transaction. Returns an existing item to use instead (`null`: none), or throws to
   * refuse.
   */
  before?: ((tx: Query, item: Item<K>) => Promise<Item<K> | null>) | undefined;
  /** Writes rows that belong to the item, in the same transaction. */
  after?(tx: Query, item: Item<K>): Promise<void>;
}

export interface CreateOutcome<K extends Kind> {
  item: Item<K>;
  /** Whether another create made it before. */
  existing: boolean;
  /** Salt of the attempt that made the item. */
  idempotencySalt: string | null;
}

/**
 * Makes an item, or finds the one that the same create has made already, and announces it.
 * @throws ID_TAKEN when the address the caller wants belongs to a live item; TTL_INVALID for a life that the owner may not
 * give; CONTENT_BLOCKED; TIMEOUT; what `ContentCheck.admit` throws
 */
export async function createItem<K extends Kind>(
  deps: ItemDependencies,
  input: CreateInput,
  context: CallContext,
  options: CreateOptions<K>,
): Promise<CreateOutcome<K>> {
  const outcome = await insertOrFind(deps, input, context, options);
  // An item that was found is announced, too: the process that made it may have died between its commit and its
  // announcement.
  await announceItem(deps, toItemRecord(outcome.item as AnyItem));
  return outcome;
}

async function insertOrFind<K extends Kind>(
  deps: ItemDependencies,
  input: CreateInput,
  context: CallContext,
  options: CreateOptions<K>,
): Promise<CreateOutcome<K>> {
  const admission = (await deps.check?.admit(options.kind, options.content.content, context)) ?? null;
  for (let attempt = 1; ; attempt++) {
    const item = draftItem(deps, input, options, admission);
    try {
      const shared =
        attempt === 1 && canShareCommit(item, input, options, admission)
          ? await insertShared(deps, item, input, context)
          : null;
      if (shared !== null) return shared;
      return await writeInTime(deps, context, `a new ${options.kind}`, (tx) =>
        insert(tx, deps, item, input, {
          ...options,
          queue: admission?.queue === true,
          client: context.client,
        }),
      );
    } catch (error) {
      const made = await findEarlierAttempt(deps, error, input.idempotency);
      if (made !== null)
        return { item: made.item as unknown as Item<K>, existing: false, idempotencySalt: made.salt };
      const constraint = brokenConstraint(error);
      if (constraint === null) throw error;
      await assertAddressFree(deps, constraint, item, input);
      if (attempt === MAX_ATTEMPTS) throw errors.idTaken(item.namespace, item.id);
    }
  }
}

function draftItem<K extends Kind>(
  { clock, ttlDayMs }: ItemDependencies,
  input: CreateInput,
  { kind, content }: CreateOptions<K>,
  admission: Admission | null,
): Item<K> {
  const now = clock.now();
  const { namespace, ownerHash, passwordHash, tags, ttlDays } = input;
  return {
    namespace,
    kind,
    ownerHash,
    passwordHash,
    tags,
    ttlDays,
    ...content,
    id: input.id ?? newItemId(),
    code: newShortCode(),
    version: 0,
    views: 0,
    ...visibilityOf({ hidden: false, quarantine: null }, admission?.finding ?? null, now),
    deliveryMode: input.hosting?.deliveryMode ?? null,
    label: input.hosting?.labelled === true ? newItemLabel() : null,
    hostingVersion: 1,
    domain: null,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + ttlDays * ttlDayMs,
  };
}

/** Whether `NewItemWriter` can insert the item in a commit with others: it needs no check or row beyond those of `NewItemWriter`. */
function canShareCommit<K extends Kind>(
  { label, ttlDays }: Item<K>,
  { id }: CreateInput,
  { before, after }: CreateOptions<K>,
  admission: Admission | null,
): boolean {
  const isUsual = id === null && label === null && ttlDays <= LIMITS.ttlDaysMax;
  return isUsual && before === undefined && after === undefined && admission?.queue !== true;
}

/** Inserts an item in a commit with others. `null`: it was left out, and needs a transaction of its own. */
async function insertShared<K extends Kind>(
  deps: ItemDependencies,
  item: Item<K>,
  { idempotency, sender }: CreateInput,
  { deadline }: CallContext,
): Promise<CreateOutcome<K> | null> {
  const version = await deps.newItems?.insert({ item: item as AnyItem, idempotency, sender }, deadline);
  if (!version) return null;
  return { item: { ...item, version }, existing: false, idempotencySalt: idempotency.salt ?? null };
}

/** Whether the content goes into the scan queue, and the client that sent it. */
interface Queueing {
  queue: boolean;
  client: string | undefined;
}

async function insert<K extends Kind>(
  tx: Query,
  { clock }: ItemDependencies,
  item: Item<K>,
  { idempotency, sender }: Pick<CreateInput, 'idempotency' | 'sender'>,
  { content, before, after, queue, client }: CreateOptions<K> & Queueing,
): Promise<CreateOutcome<K>> {
  const occupant = (await before?.(tx, item)) ?? null;
  if (occupant !== null) {
    const made = await findByIdempotencyKey(tx, idempotency);
    const existing = made?.namespace !== occupant.namespace || made.id !== occupant.id;
    return { item: occupant, existing, idempotencySalt: made?.salt ?? null };
  }
  await assertTtlAllowed(tx, item.ownerHash, item.ttlDays);
  const keys = blobKeysOf(item.content);
  // Pipelined: all are sent without waiting for the answers in between.
  const [version] = await Promise.all([
    insertItem(tx, item as AnyItem, idempotency, sender),
    keys.length > 0 ? claimBlobs(tx, keys, clock.now()) : undefined,
    assertStorable(tx, etagsOf(content), clock.now()),
    item.label === null ? undefined : noteLabel(tx, { ...item, label: item.label }, item.createdAt),
    queue ? queueScan(tx, { code: item.code, client }, item.createdAt) : undefined,
  ]);
  await after?.(tx, item);
  return { item: { ...item, version }, existing: false, idempotencySalt: idempotency.salt ?? null };
}

/** The live item of an earlier attempt at this create, which may be why this one failed. */
async function findEarlierAttempt(
  deps: ItemDependencies,
  failure: unknown,
  idempotency: IdempotencyRecord,
): Promise<{ item: AnyItem; salt: string | null } | null> {
  const full = failure instanceof PerchError && failure.code === 'LIMIT_REACHED';
  const constraint = brokenConstraint(failure);
  if (!full && (constraint === null || constraint === CONSTRAINTS.code)) return null;
  const made = await findByIdempotencyKey(deps.sql, idempotency);
  if (made === null) return null;
  const item = await findUnlessExpired(deps, made);
  return item === null ? null : { item, salt: made.salt };
}

/** @throws ID_TAKEN when the address the caller wants belongs to a live item; otherwise another attempt may succeed */
async function assertAddressFree(
  deps: ItemDependencies,
  constraint: string,
  item: ItemRef,
  input: CreateInput,
): Promise<void> {
  if (constraint !== CONSTRAINTS.address || input.id === null) return;
  const occupant = await findUnlessExpired(deps, item);
  if (occupant !== null) throw errors.idTaken(item.namespace, item.id);
}

/** The live item at an address. An expired one answers 404 until it is swept: its address and idempotency key are freed here. */
async function findUnlessExpired(
  { sql, clock, blobGraceMs }: ItemDependencies,
  address: ItemRef,
): Promise<AnyItem | null> {
  const isLive = (item: AnyItem): boolean => item.expiresAt > clock.now();
  const occupant = await findItem(sql, address);
  if (occupant === null || isLive(occupant)) return occupant;
  return await sql.begin(async (tx) => {
    // Another create may have freed the address meanwhile, and made its own item there.
    const locked = await findItem(tx, address, true);
    if (locked === null || isLive(locked)) return locked;
    await buryItems(tx, [locked], clock);
    await discardBlobs(tx, blobKeysOf(locked.content), clock.now() + blobGraceMs);
    return null;
  });
}
