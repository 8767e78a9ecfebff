import { type TSchema, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { AccessColumns } from '../../shared/contracts/access-columns.ts';
import { AccessBatch, AccessEvent } from '../../shared/contracts/access-log.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Subscription } from '../../shared/ports/bus.ts';
import type { EventMessage, EventStream } from '../../shared/ports/event-stream.ts';
import { type RequestBatch, toRuns } from './alike-requests.ts';
import { areSound, eventsOf, runsOf, withIds } from './read-access-columns.ts';

/** Batches written in one transaction: some 15,000 events, or 50,000 alike ones, far from the time a statement may take. */
const BATCHES_AT_ONCE = 10;

const columns = TypeCompiler.Compile(AccessColumns);
const whole = TypeCompiler.Compile(AccessBatch);
const envelope = TypeCompiler.Compile(
  Type.Object({ id: AccessBatch.properties.id, events: Type.Array(Type.Unknown()) }),
);
const single = TypeCompiler.Compile(AccessEvent);

interface ConsumerOptions {
  events: EventStream;
  log: Logger;
  /** Resolves after the commit. Knows batches it has written before by their ids. */
  write(batches: RequestBatch[]): Promise<void>;
}

/**
 * Takes batches of access events from the stream and writes them. They are acknowledged after the commit; as long as
 * they cannot be written they come again.
 */
export const consumeAccessEvents = ({ events, log, write }: ConsumerOptions): Promise<Subscription> =>
  events.consume({ maxMessages: BATCHES_AT_ONCE }, async (messages) => {
    const batches = messages.flatMap((message) => readBatch(message, log));
    if (batches.length > 0) await write(batches);
  });

/**
 * Decodes a message. A message that is no batch is given up, as a retry cannot help and would delay the others. An
 * invalid event is dropped; the rest of its batch keeps the batch's id.
 */
function readBatch({ id, bytes }: EventMessage, log: Logger): RequestBatch[] {
  const message = readJson(id, bytes, log);
  // Gateways of an earlier release send events one by one.
  const byColumns = columns.Check(message) ? withIds(message) : null;
  if (byColumns !== null && areSound(byColumns)) return [{ id: byColumns.id, runs: runsOf(byColumns) }];
  const batch = byColumns === null ? message : { id: byColumns.id, events: eventsOf(byColumns) };
  if (whole.Check(batch)) return [{ id: batch.id, runs: toRuns(batch.events) }];
  if (batch === undefined) return [];
  if (!envelope.Check(batch)) {
    const fault = firstFault(envelope, batch);
    log.error({ id, ...fault }, 'a message of the access log is no batch of events; it is dropped');
    return [];
  }
  const events = batch.events.filter((event) => single.Check(event));
  const fault = firstFault(whole, batch);
  const dropped = batch.events.length - events.length;
  log.error({ id, dropped, ...fault }, 'events of the access log are not as agreed; they are dropped');
  return events.length === 0 ? [] : [{ id: batch.id, runs: toRuns(events) }];
}

/** `undefined`, which JSON cannot say: it is no JSON. */
function readJson(id: string, bytes: Uint8Array, log: Logger): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    log.error({ id, error }, 'a message of the access log is no JSON; it is dropped');
    return undefined;
  }
}

function firstFault(
  schema: TypeCheck<TSchema>,
  value: unknown,
): { path: string | undefined; fault: string | undefined } {
  const { path, message } = schema.Errors(value).First() ?? {};
  return { path, fault: message };
}
