import { bundle, MAX_BUNDLED, type ScriptCall } from './redis-bundles.ts';
import { type RedisClient, type Send, type Settled, sendTogether } from './redis-client.ts';
import type { BundledScript, SCRIPTS } from './redis-scripts.ts';
import { createTickBatch, createTickGroups, type TickOutcome } from './tick-batch.ts';

type ScriptName = keyof typeof SCRIPTS;
type Arguments = Array<string | number>;

/** Runs one script. All commands that wait at the same moment are sent to Redis in one write. */
export type Command = <Reply>(name: ScriptName, args: Arguments) => Promise<Reply>;

/** Makes the keys and arguments of a script for a subject and the sum of its amounts. */
type KeysAndArguments = (subject: string, amount: number) => Pick<ScriptCall, 'keys' | 'args'>;

/** Asks for a subject; equal subjects of one tick share a command, which carries the sum of their amounts. */
type SummingCommand<Reply> = (subject: string, amount: number) => Promise<TickOutcome<Reply>>;

/** Commands for the next write, and the function that takes their outcomes, in the same order. */
export interface Sent {
  commands: Send[];
  settle(outcomes: Settled[]): void;
}

/** Returns the commands that have gathered since its last call; `null`: none. */
export type Sender = (redis: RedisClient) => Sent | null;

export interface RedisCommands {
  command: Command;
  /** Adds a sender whose commands go along with each write, after all others. */
  alongside(sender: Sender): void;
  /**
   * Runs a script that takes an amount: equal subjects of a tick are summed into one call. All such calls of a tick are
   * one command, if one may name all of their keys.
   */
  summing<Reply>(name: BundledScript, argumentsOf: KeysAndArguments): SummingCommand<Reply>;
  /** Runs a script that takes all parts of one subject in a tick, and replies to each in its place. */
  grouping<Part, Reply>(
    name: ScriptName,
    argumentsOf: (subject: string, parts: Part[]) => Arguments,
  ): (subject: string, part: Part) => Promise<Reply>;
}

/**
 * Runs the scripts that a connection was opened with.
 * @param mayBundle whether one command may name keys of several slots (`takesAllKeys`)
 */
export function createRedisCommands(redis: RedisClient, mayBundle: () => boolean): RedisCommands {
  const scripts = redis as RedisClient & Record<ScriptName, (...args: Arguments) => Promise<unknown>>;
  const call =
    (name: ScriptName, args: Arguments): Send =>
    () =>
      scripts[name](...args);
  const sendCall = ({ name, keys, args }: ScriptCall<BundledScript | 'bundle'>): Send =>
    call(name, name === 'bundle' ? [keys.length, ...keys, ...args] : [...keys, ...args]);
  const senders: Sender[] = [];
  const companions: Sender[] = [];
  let scheduled = false;
  let underWay = false;

  const flush = async (): Promise<void> => {
    scheduled = false;
    underWay = true;
    const sent = [...senders, ...companions].map((send) => send(redis)).filter((one) => one !== null);
    const outcomes = await sendTogether(
      redis,
      sent.flatMap(({ commands }) => commands),
    );
    for (const { commands, settle } of sent) settle(outcomes.splice(0, commands.length));
    underWay = false;
    if (scheduled) void flush();
  };
  // Commands that come while a write is under way gather for the next one: under load there are fewer and longer writes.
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    if (!underWay) setImmediate(() => void flush());
  };

  let queued: Queued[] = [];
  senders.push(() => {
    if (queued.length === 0) return null;
    const taken = queued;
    queued = [];
    return {
      commands: taken.map(({ name, args }) => call(name, args)),
      settle: (outcomes) => settleAll(taken, outcomes),
    };
  });

  const summed: Array<() => SummedCalls | null> = [];
  senders.push(() => {
    const taken = summed.map((take) => take()).filter((one) => one !== null);
    if (taken.length === 0) return null;
    const all = taken.flatMap(({ calls }) => calls);
    const { calls, outcomesOf } = bundle(all, mayBundle() ? MAX_BUNDLED : 1);
    return {
      commands: calls.map(sendCall),
      settle(replies) {
        const outcomes = outcomesOf(replies);
        for (const one of taken) one.settle(outcomes.splice(0, one.calls.length));
      },
    };
  });

  return {
    command: <Reply>(name: ScriptName, args: Arguments) =>
      new Promise<Reply>((resolve, reject) => {
        schedule();
        queued.push({ name, args, resolve: (value) => resolve(value as Reply), reject });
      }),
    alongside: (sender) => void companions.push(sender),
    summing<Reply>(name: BundledScript, argumentsOf: KeysAndArguments) {
      const batch = createTickBatch<Reply>();
      summed.push(() => {
        if (batch.isEmpty()) return null;
        const { entries, settle } = batch.take();
        return {
          calls: entries.map(({ key, amount }) => {
            const { keys, args } = argumentsOf(key, amount);
            return { name, keys, args };
          }),
          settle: (outcomes) => settle(outcomes as Array<{ value: Reply } | { error: unknown }>),
        };
      });
      return (subject, amount) => {
        schedule();
        return batch.add(subject, amount);
      };
    },
    grouping<Part, Reply>(
      name: ScriptName,
      argumentsOf: (subject: string, parts: Part[]) => Arguments,
    ): (subject: string, part: Part) => Promise<Reply> {
      const gathering = createTickGroups<Part, Reply>();
      senders.push(() => {
        if (gathering.isEmpty()) return null;
        const { groups, settle } = gathering.take();
        return {
          commands: groups.map(({ subject, parts }) => call(name, argumentsOf(subject, parts))),
          settle: (outcomes) => settle(outcomes as Array<{ value: Reply[] } | { error: unknown }>),
        };
      });
      return (subject, part) => {
        schedule();
        return gathering.add(subject, part);
      };
    },
  };
}

/** Calls of one summing script for the next write. */
interface SummedCalls {
  calls: ScriptCall<BundledScript>[];
  /** Takes their outcomes in their order. */
  settle(outcomes: Settled[]): void;
}

/** A script that waits for the end of its tick. */
interface Queued {
  name: ScriptName;
  args: Arguments;
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

function settleAll(queued: readonly Queued[], replies: readonly Settled[]): void {
  for (const [index, { resolve, reject }] of queued.entries()) {
    const reply = replies[index] ?? { error: new Error('no reply') };
    if ('error' in reply) reject(reply.error);
    else resolve(reply.value);
  }
}

/** A call's own number among the equal calls of its turn: the first of three that ended at 10 is 8. */
export function ordinal<T>({ upTo, total }: TickOutcome<T>, reached: number): number {
  return reached - total + upTo;
}

/** Errors of commands without a reply when the connection was lost. */
const LOST_WITH_CONNECTION = ['AbortError', 'MaxRetriesPerRequestError'];

/**
 * Whether Redis may run a failed command all the same, or has run it: sent again, it could count twice. A slow Redis runs
 * it after the timeout. One whose connection was lost may have run it before.
 */
export const mayStillRun = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Command timed out' || LOST_WITH_CONNECTION.includes(error.name));
