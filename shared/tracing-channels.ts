import { tracingChannel } from 'node:diagnostics_channel';

/**
 * Gives Bun the `hasSubscribers` of Node's tracing channels, which Bun 1.4.5 lacks. Without it a library that traces its calls, such
 * as ioredis, takes every channel for one that is listened to: it makes a context and three promises for each command.
 */
const prototype: object = Object.getPrototypeOf(tracingChannel('perch'));
if (!('hasSubscribers' in prototype)) {
  Object.defineProperty(prototype, 'hasSubscribers', {
    configurable: true,
    get(this: ReturnType<typeof tracingChannel>) {
      return [this.start, this.end, this.asyncStart, this.asyncEnd, this.error].some(
        (one) => one.hasSubscribers,
      );
    },
  });
}
