import { type RedisClient, type Send, type Settled, sendTogether } from './redis-client.ts';
import type { SCRIPTS } from './redis-scripts.ts';
import { createTickBatch, createTickGroups, type TickOutcome } from './tick-batch.ts';

type ScriptName = keyof typeof SCRIPTS;
type Arguments = Array<string | number>;

/** Runs one script. All commands that wait at the same moment are sent to Redis in one write. */
export type Command = <Reply>(name: ScriptName, args: Arguments) => Promise<Reply>;

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
  /** Runs a script that takes an amount: equal subjects of a tick are summed into one command. */
  summing<Reply>(
    name: ScriptName,
    argumentsOf: (subject: string, amount: number) => Arguments,
  ): SummingCommand<Reply>;
  /** Runs a script that takes all parts of one subject in a tick, and replies to each in its place. */
  grouping<Part, Reply>(
    name: ScriptName,
    argumentsOf: (subject: string, parts: Part[]) => Arguments,
  ): (subject: string, part: Part) => Promise<Reply>;
}

/** Runs the scripts that a connection was opened with. */
export function createRedisCommands(redis: RedisClient): RedisCommands {
  const scripts = redis as RedisClient & Record<ScriptName, (...args: Arguments) => Promise<unknown>>;
  const call =
    (name: ScriptName, args: Arguments): Send =>
    () =>
      scripts[name](...args);
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

  return {
    command: <Reply>(name: ScriptName, args: Arguments) =>
      new Promise<Reply>((resolve, reject) => {
        schedule();
        queued.push({ name, args, resolve: (value) => resolve(value as Reply), reject });
      }),
    alongside: (sender) => void companions.push(sender),
    summing<Reply>(name: ScriptName, argumentsOf: (subject: string, amount: number) => Arguments) {
      const batch = createTickBatch<Reply>();
      senders.push(() => {
        if (batch.isEmpty()) return null;
        const { entries, settle } = batch.take();
        return {
          commands: entries.map(({ key, amount }) => call(name, argumentsOf(key, amount))),
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
