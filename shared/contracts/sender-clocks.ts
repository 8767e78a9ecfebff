/** The clock of another process, as far as its messages tell. All in ms. */
interface SenderClock {
  /** The least that a message seemed to take: the difference of the two clocks, and the shortest way. */
  least: number;
  /** When the last message came. */
  seenAt: number;
  /** When the first message came that this is made of. */
  since: number;
  /** Since when every message has come late; `null` when the last one did not. */
  lateSince: number | null;
}

export interface SenderClocks {
  /**
   * How long a message was under way, in ms, compared with the quickest of its sender: it may have waited in the bus,
   * in a connection, or in either process while that was stopped.
   * @param sentAt by the sender's clock; `now` by the receiver's
   */
  ageOf(sender: string, sentAt: number, now: number): number;
}

/** Whatever waited for a receiver that was stopped is read within this time. */
const SETTLED_AFTER_MS = 2_000;
/** Two clocks drift apart by less (in ms each ms): NTP slews a clock by half of it at most. */
const DRIFT = 0.001;
/** A message older than this has waited, in ms. */
const LATE_MS = 1_000;
/** When everything is late for so long, a clock has been set anew: a machine that slept, for example. */
const RELEARNED_AFTER_MS = 60_000;
/** Senders that are remembered; whoever was silent longest is forgotten. */
const SENDERS = 1_000;

/**
 * The clocks of those who send, so that a message that waited can be told from one of a clock that differs. Until a
 * sender's clock is known for certain it is taken to agree where that makes its messages older: what is refused in vain
 * is sent again at once (`call`), while late work that passes for new could undo what came after it.
 */
export function createSenderClocks(): SenderClocks {
  const clocks = new Map<string, SenderClock>();

  const remember = (sender: string, lag: number, now: number): SenderClock => {
    const known = clocks.get(sender);
    if (known !== undefined && now - (known.lateSince ?? now) < RELEARNED_AFTER_MS) {
      known.least = Math.min(lag, known.least + (now - known.seenAt) * DRIFT);
      known.seenAt = now;
      return known;
    }
    const clock: SenderClock = { least: lag, seenAt: now, since: now, lateSince: null };
    clocks.set(sender, clock);
    if (clocks.size > SENDERS) forgetOne();
    return clock;
  };
  const forgetOne = (): void => {
    const [silent] = [...clocks].toSorted(([, a], [, b]) => a.seenAt - b.seenAt);
    if (silent !== undefined) clocks.delete(silent[0]);
  };

  return {
    ageOf(sender, sentAt, now) {
      const lag = now - sentAt;
      const clock = remember(sender, lag, now);
      const isSettled = now - clock.since >= SETTLED_AFTER_MS;
      const age = lag - (isSettled ? clock.least : Math.min(clock.least, 0));
      if (age < LATE_MS) clock.lateSince = null;
      else clock.lateSince ??= now;
      return age;
    },
  };
}
