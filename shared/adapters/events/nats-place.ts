import type { JetStreamManager } from 'nats';
import type { StreamNames } from './nats-resources.ts';

/**
 * Tells whether the consumer will never hand out some of the stream's messages, as its place is beyond them. A server
 * whose disk was full may lose the stream's end when it dies and count messages anew, from numbers that its consumer has
 * long acknowledged (seen with NATS 2.9.10): they would wait there, unseen, until they are too old.
 */
export function createPlaceCheck({ stream, consumer }: StreamNames) {
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
