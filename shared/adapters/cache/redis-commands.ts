import { type RedisClient, type Send, type Settled, sendTogether } from './redis-client.ts';
import type { SCRIPTS } from './redis-scripts.ts';
import { createTickBatch, createTickGroups, type TickOutcome } from './tick-batch.ts';

type ScriptName = keyof typeof SCRIPTS;
type Arguments = Array<string | number>;

/** Runs one script, in one write with all others that wait at that moment. */
export type Command = <Reply>(name: ScriptName, args: Arguments) => Promise<Reply>;

/** Asks for a subject; equal subjects of one tick share a command, which carries the sum of their amounts. */
type SummingCommand<Reply> = (subject: string, amount: number) => Promise<TickOutcome<Reply>>;

/** Commands to go along with others, and who gets their outcomes. */
export interface Sent {
  commands: Send[];
  settle(outcomes: Settled[]): void;
}

/** Gives what has gathered since it was last asked; `null`: nothing. */
export type Sender = (redis: RedisClient) => Sent | null;

export interface RedisCommands {
  command: Command;
  /** Asked at each write, after all else is in it. */
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

/** The scripts on a connection that was opened with them. */
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
  // While one write is on its way, what comes gathers for the next: under load there are fewer and longer ones.
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
 * Sending these again could count twice: a slow Redis runs a command later, and one whose connection was lost with the
 * reply may have run it.
 */
export const mayStillRun = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Command timed out' || LOST_WITH_CONNECTION.includes(error.name));
