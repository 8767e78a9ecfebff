/** A handler's hold on its subject. */
export interface Subscription {
  /** Takes no new requests, waits for those under way, then leaves. */
  drain(): Promise<void>;
}

export interface RequestOptions {
  /** Milliseconds to wait for the reply. */
  timeoutMs: number;
  /**
   * Whether it may travel in one message with others of its turn to the same subject, and then go to the same member.
   * For short work, which costs less than a message: each still has its own timeout and its own reply. Not unless said.
   */
  gather?: boolean;
  /**
   * Whether it may wait, up to its timeout, for a bus that has just been lost, instead of failing at once. Only what was not
   * sent waits, so that nothing is done twice. Not unless said.
   */
  waits?: boolean;
}

/**
 * Request and reply between processes, and news for all who listen. Members of one queue share the requests of a subject.
 * `request` throws `UNAVAILABLE` when the bus is away or nobody serves the subject, `TIMEOUT` when no reply comes
 * in time (both with `mayBeDone` when it was sent), and a RangeError for a request or reply above `maxPayloadBytes`. Messages are copies on both ways.
 */
export interface Bus {
  readonly maxPayloadBytes: number;
  request(subject: string, payload: Uint8Array, options: RequestOptions): Promise<Uint8Array>;
  /** The handler must not throw: a failure is a reply, too. */
  serve(
    subject: string,
    queue: string,
    handler: (payload: Uint8Array) => Promise<Uint8Array>,
  ): Promise<Subscription>;
  /**
   * Tells all who listen to a subject, each at most once. Nobody waits for it, and it never throws: whoever is not connected
   * just now misses it.
   */
  publish(subject: string, payload: Uint8Array): void;
  /** Hears everything that is published once this has resolved, but for interruptions. The handler must not throw. */
  listen(subject: string, handler: (payload: Uint8Array) => void): Promise<Subscription>;
  /** Calls back when the bus is there again after an interruption, in which publications were missed. */
  onReturn(listener: () => void): void;
  /** Resolves when the bus answers. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Guards every adapter alike, so that what works on one does not fail on the other. */
export function assertFits(payload: Uint8Array, maxPayloadBytes: number): void {
  if (payload.length > maxPayloadBytes) throw overLimit(payload.length, maxPayloadBytes);
}

export function overLimit(bytes: number, maxPayloadBytes: number): RangeError {
  return new RangeError(`a message of ${bytes} bytes is over the bus limit of ${maxPayloadBytes}`);
}
