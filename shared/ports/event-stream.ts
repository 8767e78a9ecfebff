import type { Subscription } from './bus.ts';

/** One message of the stream: bytes under an id that its publisher chose. */
export interface EventMessage {
  id: string;
  bytes: Uint8Array;
}

export interface ConsumeLimits {
  /** Most messages handed over at once. */
  maxMessages: number;
}

/** How long the stream keeps what nobody has taken, in ms: two days. No message is delivered later than that. */
export const EVENT_RETENTION_MS = 48 * 3_600_000;

/**
 * A queue of messages between processes that outlives them. Every message is handed to one of all its consumers, and
 * again until one has dealt with it: at least once, in no certain order.
 */
export interface EventStream {
  /**
   * Resolves once the stream has stored the message. A message with a known id is dropped as long as the stream
   * remembers it, which is minutes; a consumer that relies on ids keeps its own record. The bytes must not change any
   * more.
   * @throws UNAVAILABLE when the stream is away or full; the message may be in it all the same
   */
  publish(id: string, bytes: Uint8Array): Promise<void>;
  /**
   * Takes messages from now on. They are done with when the handler resolves; when it throws they come again after a
   * delay, here or at another consumer, and so do those of a consumer that died. Takes no more until the handler has
   * ended. A stream that is away is waited for.
   */
  consume(limits: ConsumeLimits, handler: (messages: EventMessage[]) => Promise<void>): Promise<Subscription>;
  /** How many messages no consumer has dealt with yet. @throws UNAVAILABLE */
  waiting(): Promise<number>;
  /** Resolves when the stream answers. */
  check(): Promise<void>;
  /** Consumers must have drained. */
  close(): Promise<void>;
}
