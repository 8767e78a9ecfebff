import { Counter, Gauge } from 'prom-client';
import { steadyNow } from '../../../shared/deadline.ts';
import { errors } from '../../../shared/errors.ts';
import type { LoadShedding } from '../../../shared/load-shedding.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import { createFairBudget } from '../admission/fair-budget.ts';
import type { RequestContext } from '../http/request-context.ts';
import { createEventRoom, type OutgoingEvent, outgoing } from './event-room.ts';
import { LiveStream } from './live-stream.ts';
import type { Snapshot, Topic } from './topic.ts';
import { createWatchHub, type WatchHub, type WatchHubOptions } from './watch-hub.ts';

/** Values that clients follow: as a stream of events, or by a request that waits for the next one. */
export interface Live {
  /**
   * Answers with the value as an event, unless the client's `Last-Event-ID` names it, and with each later one. The stream
   * ends when the value may not be read any more as it was, after an hour, and when the gateway leaves.
   * @param known the state that the client was let in to, with its data
   * @throws RATE_LIMITED, UNAVAILABLE without a slot, or while events that the client does not take fill its share of memory
   */
  stream(context: RequestContext, topic: Topic, known: Snapshot): Response;
  /**
   * Waits until a value may be another than the one that is known; the caller reads it anew. Returns at the end of the time
   * as well.
   * @param known needs no data
   * @throws RATE_LIMITED, UNAVAILABLE without a slot
   */
  wait(context: RequestContext, topic: Topic, known: Snapshot, ms: number): Promise<void>;
  /** Ends all streams and waits, so that clients go to another gateway. */
  leave(): Promise<void>;
}

interface LiveOptions extends WatchHubOptions {
  metrics: Metrics;
  loadShedding: LoadShedding;
  /** See `createWatcherSlots`. */
  watchersPerClient: number;
  onSlow(): void;
}

const HEADERS = {
  'Content-Type': 'text/event-stream',
  // Caches and compressing proxies would gather events before they pass them on.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
};

/** Clients ask again so long after a stream has ended, in ms. */
const RETRY_MS = 2_000;

const TICK_MS = 1_000;

const GONE = outgoing('event: gone\ndata: {}\n\n');

export function createLive(options: LiveOptions): Live {
  const { metrics, loadShedding, watchersPerClient, onSlow } = options;
  const hub = createWatchHub(options);
  const slots = createWatcherSlots(watchersPerClient, loadShedding);
  const room = createEventRoom();
  const streams = new Set<LiveStream>();
  const events = observe(metrics, slots, streams, hub);
  const ticking = setInterval(() => {
    const now = steadyNow();
    for (const stream of streams) stream.tick(now);
  }, TICK_MS);

  /** The event of a snapshot is made once, for all who watch. */
  const made = new WeakMap<Snapshot, OutgoingEvent>();
  const eventOf = (snapshot: Snapshot): OutgoingEvent => {
    const known = made.get(snapshot);
    if (known !== undefined) return known;
    const event = outgoing(textOf(snapshot));
    made.set(snapshot, event);
    return event;
  };

  return {
    stream(context, topic, known) {
      // Bun sends no length for a stream, and cancels one that a HEAD leaves unread.
      if (context.isHead) return new Response(new ReadableStream(), { headers: HEADERS });
      // Each stream keeps a first event of its own until its reader takes it.
      if (room.isFull(context.clientKey)) throw loadShedding.shed('watchers');
      const giveBack = slots.take(context);
      let stop = (): void => undefined;
      const stream: LiveStream = new LiveStream({
        room,
        onSlow,
        client: context.clientKey,
        onClose() {
          stop();
          streams.delete(stream);
          giveBack();
        },
      });
      streams.add(stream);
      const isKnown = context.request.headers.get('last-event-id') === known.id;
      stream.send(outgoing(`retry: ${RETRY_MS}\n${isKnown ? '\n' : textOf(known)}`));
      stop = hub.watch(topic, known, {
        changed(snapshot) {
          events.inc();
          stream.send(eventOf(snapshot));
        },
        ended: (why) => stream.end(why === 'gone' ? GONE : null),
      });
      return new Response(stream.body, { headers: HEADERS });
    },
    async wait(context, topic, known, ms) {
      const giveBack = slots.take(context);
      context.releaseSlot();
      const began = performance.now();
      const { signal } = context.request;
      const done = Promise.withResolvers<void>();
      const timer = setTimeout(done.resolve, ms);
      signal.addEventListener('abort', () => done.resolve());
      // The client may have gone while the value was read.
      if (signal.aborted) done.resolve();
      const stop = hub.watch(topic, known, {
        changed: () => done.resolve(),
        ended: () => done.resolve(),
      });
      await done.promise;
      clearTimeout(timer);
      stop();
      giveBack();
      context.waitedMs += performance.now() - began;
      context.restartDeadline();
    },
    async leave() {
      await hub.leave();
      for (const stream of streams) stream.end();
      clearInterval(ticking);
    },
  };
}

const textOf = ({ id, data }: Snapshot): string => `id: ${id}\ndata: ${data}\n\n`;

/** Shows how many watch, and counts events. */
function observe(
  { registry }: Metrics,
  slots: WatcherSlots,
  streams: Set<LiveStream>,
  hub: WatchHub,
): Counter {
  const registers = [registry];
  new Gauge({
    name: 'live_watchers',
    help: 'Clients that follow a value: by a stream of events, or by a request that waits for the next.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.set({ kind: 'stream' }, streams.size);
      this.set({ kind: 'wait' }, slots.taken - streams.size);
    },
  });
  new Gauge({
    name: 'live_values',
    help: 'Values that somebody follows.',
    registers,
    collect() {
      this.set(hub.topics);
    },
  });
  return new Counter({
    name: 'live_events_total',
    help: 'Events with a new value, to each stream.',
    registers,
  });
}

/** Slots for watchers: streams, and requests that wait for a change. They have none among the requests under way. */
interface WatcherSlots {
  /**
   * Takes a slot. Returns how to give it back; more than once does no harm.
   * @throws RATE_LIMITED when the client has as many as it may, UNAVAILABLE when the gateway has no more for it
   */
  take(context: RequestContext): () => void;
  readonly taken: number;
}

/** Most watchers of one gateway; a client alone gets half of these. */
const MAX_WATCHERS = 10_000;

/** The time in which a client that has too many watchers may well have fewer, in seconds. */
const FEWER_SECONDS = 15;

/** @param perClient most watchers of one client on this gateway; 0: no limit but its share */
function createWatcherSlots(perClient: number, loadShedding: LoadShedding): WatcherSlots {
  const refuse = () => loadShedding.shed('watchers');
  const budget = createFairBudget({ total: MAX_WATCHERS, refuse });
  const byClient = new Map<string, number>();
  let taken = 0;

  return {
    take(context) {
      const { clientKey } = context;
      const own = byClient.get(clientKey) ?? 0;
      if (perClient > 0 && own >= perClient)
        throw errors.rateLimited(`followed values (${perClient} at most)`, FEWER_SECONDS);
      const holding = budget.open(clientKey);
      if (!holding.tryTake(1)) throw refuse();
      byClient.set(clientKey, own + 1);
      taken += 1;
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        holding.release();
        taken -= 1;
        const left = (byClient.get(clientKey) ?? 1) - 1;
        if (left === 0) byClient.delete(clientKey);
        else byClient.set(clientKey, left);
      };
    },
    get taken() {
      return taken;
    },
  };
}
