import { expect, test } from 'bun:test';
import { tracingChannel } from 'node:diagnostics_channel';
import '../../shared/tracing-channels.ts';

test('a tracing channel has subscribers while somebody listens', () => {
  const channel = tracingChannel<object, object>('perch:test') as ReturnType<typeof tracingChannel> & {
    hasSubscribers: boolean;
  };
  const listener = { end: () => undefined };
  expect(channel.hasSubscribers).toBe(false);
  channel.end.subscribe(listener.end);
  expect(channel.hasSubscribers).toBe(true);
  channel.end.unsubscribe(listener.end);
  expect(channel.hasSubscribers).toBe(false);
});
