import {
  AckPolicy,
  type Consumer,
  DeliverPolicy,
  DiscardPolicy,
  type JetStreamManager,
  NatsError,
  nanos,
  ReplayPolicy,
  RetentionPolicy,
  StorageType,
} from 'nats';
import { EVENT_RETENTION_MS } from '../../ports/event-stream.ts';

/** The names of one event stream on the server. */
interface StreamNames {
  stream: string;
  subject: string;
  consumer: string;
}

export const namesOf = (stream: string): StreamNames => ({
  stream,
  subject: `${stream}.batches`,
  consumer: 'consumers',
});

/** How long the server remembers message ids: longer than a publisher repeats itself over a restart of the server. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;

/** Messages handed out and not yet done with, of all consumers together. */
const MAX_ACK_PENDING = 2_000;

/** JetStream's codes: the stream is not there; it is by now, as somebody else made it at the same moment. */
const STREAM_NOT_FOUND = 10059;
const MADE_MEANWHILE = new Set([10058, 10065]);

const codeOf = (error: unknown): number | undefined =>
  error instanceof NatsError ? error.api_error?.err_code : undefined;

export interface StreamSettings {
  maxBytes: number;
  /** On how many servers of a cluster it is; `null`: as it is, and one for a new one. */
  replicas: number | null;
  /** Told that it could not be put on so many servers. The stream is used as it is. */
  onTooFew(error: unknown): void;
}

/**
 * Makes the stream, or brings one that is there up to date. The stream holds messages that are not done with yet, in files.
 * When it is full it refuses new messages, so that their publishers know, rather than dropping old ones.
 */
export async function ensureStream(
  jetstream: JetStreamManager,
  { stream, subject }: StreamNames,
  { maxBytes, replicas, onTooFew }: StreamSettings,
): Promise<void> {
  const limits = {
    subjects: [subject],
    max_age: nanos(EVENT_RETENTION_MS),
    max_bytes: maxBytes,
    discard: DiscardPolicy.New,
    duplicate_window: nanos(DUPLICATE_WINDOW_MS),
  };
  const unchangeable = { retention: RetentionPolicy.Workqueue, storage: StorageType.File };
  // Asked first: a server whose disk has no room for a second one refuses to add even what is there already.
  const find = () =>
    jetstream.streams.info(stream).catch((error: unknown) => {
      if (codeOf(error) !== STREAM_NOT_FOUND) throw error;
      return null;
    });
  let existing = await find();
  if (existing === null) {
    try {
      await jetstream.streams.add({
        name: stream,
        ...unchangeable,
        ...limits,
        ...(replicas === null ? {} : { num_replicas: replicas }),
      });
      return;
    } catch (error) {
      if (!MADE_MEANWHILE.has(codeOf(error) ?? 0)) throw error;
      existing = await find();
    }
  }
  const isUpToDate = Object.entries(limits).every(([name, value]) =>
    Bun.deepEquals(Reflect.get(existing?.config ?? {}, name), value),
  );
  if (!isUpToDate) await jetstream.streams.update(stream, limits);
  // By itself: while a server is away the number cannot be raised, and the stream works all the same.
  if (replicas !== null && existing?.config.num_replicas !== replicas)
    await jetstream.streams.update(stream, { num_replicas: replicas }).catch(onTooFew);
}

/** The one consumer of the stream, which all who take messages share; made like the stream. */
export async function ensureConsumer(
  jetstream: JetStreamManager,
  { stream, consumer }: StreamNames,
  ackWaitMs: number,
): Promise<Consumer> {
  await jetstream.consumers.add(stream, {
    durable_name: consumer,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: nanos(ackWaitMs),
    max_deliver: -1,
    max_ack_pending: MAX_ACK_PENDING,
  });
  return await jetstream.jetstream().consumers.get(stream, consumer);
}

/**
 * Tells whether the consumer will never hand out some of the stream's messages, as its position is beyond them. A server
 * whose disk was full may lose the stream's end when it dies and count messages anew, from numbers that its consumer has
 * long acknowledged (seen with NATS 2.9.10): they would wait there, unseen, until they are too old.
 */
export function createPositionCheck({ stream, consumer }: StreamNames) {
  let passedBefore: number | null = null;

  return async (jetstream: JetStreamManager): Promise<boolean> => {
    // The consumer first: what arrives between the two answers must not look as if it were ahead.
    const { delivered, ack_floor: acknowledged } = await jetstream.consumers.info(stream, consumer);
    const { state } = await jetstream.streams.info(stream);
    if (delivered.stream_seq > state.last_seq) return true;
    // A message acknowledged a moment ago may still be there; one that stays was never handed out.
    const isPassed = state.messages > 0 && state.first_seq <= acknowledged.stream_seq;
    const stays = isPassed && state.first_seq === passedBefore;
    passedBefore = isPassed ? state.first_seq : null;
    return stays;
  };
}
