import type { ChainableCommander } from 'ioredis';
import { openBatch, type RedisClient } from './redis-client.ts';
import type { SCRIPTS } from './redis-scripts.ts';
import { createTickBatch, createTickGroups, type TickOutcome } from './tick-batch.ts';

type ScriptName = keyof typeof SCRIPTS;
type Arguments = Array<string | number>;
type Settled = { value: unknown } | { error: unknown };

/** Runs one script, in one pipeline with all others that wait at that moment. */
export type Command = <Reply>(name: ScriptName, args: Arguments) => Promise<Reply>;

/** Asks for a subject; equal subjects of one tick share a command, which carries the sum of their amounts. */
type SummingCommand<Reply> = (subject: string, amount: number) => Promise<TickOutcome<Reply>>;

/** Adds commands to a pipeline and says how many replies to hand back. */
export type Sender = (pipeline: ChainableCommander) => Sent;

export interface RedisCommands {
  command: Command;
  /** Asked at each pipeline that leaves, after all else is in it. */
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
  const senders: Sender[] = [];
  const companions: Sender[] = [];
  let scheduled = false;
  let underWay = false;

  const flush = (): void => {
    scheduled = false;
    underWay = true;
    const pipeline = openBatch(redis);
    const sent = [...senders, ...companions].map((send) => send(pipeline));
    pipeline
      .exec()
      .then((replies) => {
        const settled = (replies ?? []).map(([error, value]) => (error === null ? { value } : { error }));
        for (const { count, settle } of sent) settle(settled.splice(0, count));
      })
      .catch((error: unknown) => {
        for (const { count, settle } of sent) settle(Array.from({ length: count }, () => ({ error })));
      })
      .finally(() => {
        underWay = false;
        if (scheduled) flush();
      });
  };
  // While one pipeline is on its way, what comes gathers for the next: under load there are fewer and longer ones.
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    if (!underWay) setImmediate(flush);
  };

  let queued: Queued[] = [];
  senders.push((pipeline) => {
    const taken = queued;
    queued = [];
    for (const { name, args } of taken) run(pipeline, name, args);
    return { count: taken.length, settle: (replies) => settleAll(taken, replies) };
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
      senders.push((pipeline) => {
        const { entries, settle } = batch.take();
        for (const { key, amount } of entries) run(pipeline, name, argumentsOf(key, amount));
        return {
          count: entries.length,
          settle: (replies) => settle(replies as Array<{ value: Reply } | { error: unknown }>),
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
      senders.push((pipeline) => {
        const { groups, settle } = gathering.take();
        for (const { subject, parts } of groups) run(pipeline, name, argumentsOf(subject, parts));
        return {
          count: groups.length,
          settle: (replies) => settle(replies as Array<{ value: Reply[] } | { error: unknown }>),
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

interface Sent {
  count: number;
  settle(replies: Settled[]): void;
}

function run(pipeline: ChainableCommander, name: ScriptName, args: Arguments): ChainableCommander {
  const scripted = pipeline as ChainableCommander & Record<ScriptName, (...args: Arguments) => unknown>;
  scripted[name](...args);
  return pipeline;
}

/** A call's own number among the equal calls of its turn: the first of three that ended at 10 is 8. */
export function ordinal<T>({ upTo, total }: TickOutcome<T>, reached: number): number {
  return reached - total + upTo;
}

/**
 * Errors of commands without a reply when the connection was lost; the first, if a part of the pipeline had a reply.
 */
const LOST_WITH_CONNECTION = ['AbortError', 'MaxRetriesPerRequestError'];

/**
 * Sending these again could count twice: a slow Redis runs a command later, and one whose connection was lost with the
 * reply may have run it.
 */
export const mayStillRun = (error: unknown): boolean =>
  error instanceof Error &&
  (error.message === 'Command timed out' || LOST_WITH_CONNECTION.includes(error.name));
