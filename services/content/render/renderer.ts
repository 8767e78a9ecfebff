import type { CallContext } from '../../../shared/call-context.ts';
import { errors } from '../../../shared/errors.ts';
import { createFairQueue } from '../../../shared/fair-queue.ts';
import { timeToCommit } from '../../../shared/items/write-in-time.ts';
import type { PerchError } from '../../../shared/perch-error.ts';
import type { RenderedPage, RenderInput } from './document.ts';
import { type RenderProcess, startRenderProcess } from './render-process.ts';

export type { RenderedPage, RenderInput } from './document.ts';

/** Jobs that may wait, and their characters together: what the queue itself can hold. Half of it for one client. */
const DEFAULT_MAX_QUEUED = 200;
const MAX_QUEUED_CHARACTERS = 96 * 1_048_576;

export interface RendererOptions {
  /** Longest time one render may take in its process, from its own start (ms). */
  readonly deadlineMs: number;
  /** Longest render of dense markdown, which is hardly for people to read (ms). */
  readonly denseDeadlineMs: number;
  /** Most pages that are rendered at once. */
  readonly workers: number;
  /** Time without work after which the processes are ended and their memory given back (ms). */
  readonly idleMs: number;
  readonly maxQueued?: number;
  /** Makes the error for who comes when the queue is full. */
  readonly refuse: () => PerchError;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

export interface Renderer {
  /**
   * Renders in a process of its own, when it is the turn of the client that asks. Null means that the page missed its deadline, made
   * the parser throw, or ended the process: trying again would end the same, and `plainTextPage` is the fallback.
   * @throws UNAVAILABLE when the queue is full, no process can be started, or the renderer is closed: another time, or another process, will do;
   * TIMEOUT when the caller's time is over first
   */
  render(input: RenderInput, context: CallContext): Promise<RenderedPage | null>;
  /** Ends the processes; running and waiting renders are rejected. */
  close(): Promise<void>;
}

interface Job {
  readonly client: string;
  readonly size: number;
  readonly input: RenderInput;
  readonly resolve: (page: RenderedPage | null) => void;
  readonly reject: (reason: Error) => void;
}

/** The process that works at a job. */
interface Held {
  process: RenderProcess;
}

/** Whether the process was gone before it was at work at the page. */
const isUnbegun = (outcome: Awaited<ReturnType<RenderProcess['run']>>): boolean =>
  outcome.page === null && outcome.lost && !outcome.begun;

/** Renders pages in other processes, each started when there is a job for it. */
export function createRenderer(options: RendererOptions): Renderer {
  const { idleMs, log, workers, maxQueued = DEFAULT_MAX_QUEUED } = options;
  const queue = createFairQueue<Job>({ count: maxQueued, size: MAX_QUEUED_CHARACTERS });
  const atWork = new Map<Promise<void>, Held>();
  let atRest: RenderProcess[] = [];
  let idleTimer: Timer | undefined;
  let closed = false;

  async function run(job: Job, held: Held): Promise<void> {
    const { input, resolve, reject } = job;
    let outcome = await held.process.run(input, limitOf(input));
    if (isUnbegun(outcome) && !closed) {
      // The process has died at rest, and nobody had heard of it yet.
      held.process = startRenderProcess();
      outcome = await held.process.run(input, limitOf(input));
    }
    // The start of a process is nobody's share: it may follow on a page of another client.
    queue.ended(job, outcome.tookMs);
    const isLost = outcome.page === null && outcome.lost;
    if (closed) {
      reject(errors.unavailable('renderer'));
      return;
    }
    if (outcome.page === null) {
      const { format, content } = input;
      log.warn({ format, length: content.length, reason: outcome.reason }, 'page was not rendered');
    }
    // In place of one that was ended: the next page shall not wait for it to start.
    atRest.push(isLost ? startRenderProcess() : held.process);
    if (outcome.page === null && isUnbegun(outcome))
      reject(errors.unavailable('renderer', new Error(outcome.reason)));
    else resolve(outcome.page);
  }

  function limitOf({ format, content }: RenderInput): number {
    return format === 'MARKDOWN' && isDense(content) ? options.denseDeadlineMs : options.deadlineMs;
  }

  function startJobs(): void {
    while (atWork.size < workers && !closed) {
      const job = queue.take();
      if (job === null) break;
      clearTimeout(idleTimer);
      const held = { process: takeRested() ?? startRenderProcess() };
      const work = run(job, held).finally(() => {
        atWork.delete(work);
        startJobs();
      });
      atWork.set(work, held);
    }
    if (atWork.size === 0) rest();
  }

  /** One may have ended at rest: where memory is short, the kernel chooses. */
  function takeRested(): RenderProcess | null {
    atRest = atRest.filter((rested) => !rested.isLost());
    return atRest.pop() ?? null;
  }

  function rest(): void {
    for (const rested of atRest) rested.idle();
    clearTimeout(idleTimer);
    idleTimer = setTimeout(endProcesses, idleMs);
    idleTimer.unref();
  }

  function endProcesses(): void {
    for (const rested of atRest) rested.stop();
    atRest = [];
  }

  return {
    async render(input, context) {
      if (closed) throw errors.unavailable('renderer');
      const { promise, ...settle } = Promise.withResolvers<RenderedPage | null>();
      const job: Job = { input, client: context.client ?? '', size: input.content.length, ...settle };
      if (!queue.add(job)) throw options.refuse();
      const leave = (): void => {
        queue.leave(job);
        job.reject(errors.timeout('rendering'));
      };
      const timer = setTimeout(leave, Math.max(0, timeToCommit(context)));
      startJobs();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      closed = true;
      clearTimeout(idleTimer);
      for (let job = queue.take(); job; job = queue.take()) job.reject(errors.unavailable('renderer'));
      for (const { process } of atWork.values()) process.stop();
      await Promise.all(atWork.keys());
      endProcesses();
    },
  };
}

/** Where the inline parser of markdown stops and looks. */
const MARKS = '*_[]`<>|~!$';
const isMark = new Uint8Array(128);
for (const mark of MARKS) isMark[mark.charCodeAt(0)] = 1;

/** Prose has one mark in 15 to 50 characters, a table of numbers or a list of badges one in 8. */
const DENSE_ONE_IN = 4;

/**
 * Whether markdown consists of marks to such a part that its time is not in proportion to its length: most of it takes
 * ten times as long as prose, and some more with the square of its length. A few milliseconds a megabyte.
 */
export function isDense(markdown: string): boolean {
  let marks = 0;
  for (let at = 0; at < markdown.length; at++) marks += isMark[markdown.charCodeAt(at)] ?? 0;
  return marks * DENSE_ONE_IN > markdown.length;
}
