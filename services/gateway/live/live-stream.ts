import { steadyNow } from '../../../shared/deadline.ts';
import { type EventRoom, type OutgoingEvent, outgoing } from './event-room.ts';

/** Nothing was sent for so long: a comment keeps proxies and clients from taking the connection for dead, in ms. */
const HEARTBEAT_MS = 15_000;
/** A reader that has not taken what was sent for so long is cut off, in ms; of a long event it has the time of the least pace besides. */
const STALLED_MS = 30_000;
/** A stream ends after so long; its client comes back with its `Last-Event-ID`, and is let in or not, in ms. */
const MAX_MS = 3_600_000;

/** Bytes that a reader of a long event takes in a minute at least. The gateway only sees when a reader has all of an event. */
const MIN_BYTES_A_MINUTE = 1_048_576;

const timeToTake = (bytes: number): number => (bytes / MIN_BYTES_A_MINUTE) * 60_000;

const HEARTBEAT = outgoing(':\n\n');

interface LiveStreamOptions {
  room: EventRoom;
  /** The reader's key in limits and budgets. */
  client: string;
  /** Called once, when the stream is over for whatever reason. */
  onClose(): void;
  /** Called when the reader is cut off, before `onClose`. */
  onSlow(): void;
}

/**
 * One reader's stream of server-sent events. Bun pulls when the socket takes more: until then only the latest event is
 * kept, so that a slow reader skips values and holds no memory for them.
 */
export class LiveStream {
  readonly body: ReadableStream<Uint8Array>;
  private readonly room: EventRoom;
  private readonly client: string;
  private readonly options: LiveStreamOptions;
  private controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** The event that follows the one on its way. */
  private next: OutgoingEvent | null = null;
  /** Ends a pull that waits for an event. */
  private pulled: (() => void) | null = null;
  private sending = 0;
  private sentAt = steadyNow();
  private readonly openedAt = this.sentAt;
  private isEnding = false;
  private isClosed = false;

  constructor(options: LiveStreamOptions) {
    this.options = options;
    this.room = options.room;
    this.client = options.client;
    this.body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => this.pull(controller),
        cancel: () => this.close(),
      },
      { highWaterMark: 0 },
    );
  }

  /** Sends an event, in place of one that waits. */
  send(event: OutgoingEvent): void {
    if (this.isEnding || this.isClosed) return;
    this.keep(event);
    this.flush();
    if (this.next !== null && this.sending > 0 && this.room.isFull(this.client)) this.cutOff();
  }

  /** Sends a last event, if there is one, and ends the stream. */
  end(last: OutgoingEvent | null = null): void {
    if (this.isEnding || this.isClosed) return;
    if (last !== null) this.keep(last);
    this.isEnding = true;
    this.flush();
  }

  /** Looks at the time; called about every second. */
  tick(now: number): void {
    if (this.sending > 0 && now - this.sentAt > STALLED_MS + timeToTake(this.sending)) this.cutOff();
    else if (now - this.openedAt > MAX_MS) this.end();
    else if (this.sending === 0 && this.next === null && now - this.sentAt >= HEARTBEAT_MS)
      this.send(HEARTBEAT);
  }

  private pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> | undefined {
    this.controller = controller;
    this.taken();
    const waiting = new Promise<void>((resolve) => {
      this.pulled = resolve;
    });
    this.flush();
    return this.pulled === null ? undefined : waiting;
  }

  /** Gives a pull that waits the next event, or the end. */
  private readonly flush = (): void => {
    const { controller, pulled, next } = this;
    if (controller === null || pulled === null || this.isClosed) return;
    if (next !== null) {
      const { length } = next.bytes;
      if (!this.room.take(this.client, length, this.flush)) return;
      this.keep(null);
      this.sending = length;
      this.sentAt = steadyNow();
      controller.enqueue(next.bytes);
    } else if (this.isEnding) {
      this.close();
      controller.close();
    } else return;
    this.pulled = null;
    pulled();
  };

  private keep(event: OutgoingEvent | null): void {
    if (this.next !== null) this.room.letGo(this.client, this.next);
    if (event !== null) this.room.hold(this.client, event);
    this.next = event;
  }

  private taken(): void {
    const { sending } = this;
    this.sending = 0;
    if (sending > 0) this.room.giveBack(this.client, sending);
  }

  private cutOff(): void {
    if (this.isClosed) return;
    this.options.onSlow();
    const { controller, pulled } = this;
    this.close();
    controller?.error(new Error('the reader is too slow'));
    pulled?.();
  }

  private close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.keep(null);
    this.room.leave(this.client, this.flush);
    this.taken();
    this.options.onClose();
  }
}
