import { errors, type PerchError } from '../../../shared/errors.ts';
import { type RenderThread, startRenderThread } from './render-thread.ts';
import type { RenderedPage, RenderInput } from './render-types.ts';

export type { RenderedPage, RenderInput } from './render-types.ts';

/** Jobs that may wait behind the running one. At 5 MB a page this bounds what the queue itself can hold. */
const DEFAULT_MAX_QUEUED = 200;

export interface RendererOptions {
  /** Longest time one render may take in the Worker, from its own start (ms). */
  readonly deadlineMs: number;
  /** Time without work after which the Worker is ended and its memory given back (ms). */
  readonly idleMs: number;
  readonly maxQueued?: number;
  /** Makes the error for who comes when the queue is full. */
  readonly refuse: () => PerchError;
  readonly log: { warn(fields: Record<string, unknown>, message: string): void };
}

export interface Renderer {
  /**
   * Renders in the Worker. Null means that the page missed the deadline or made the parser throw: trying again would
   * end the same, and `plainTextPage` is the fallback.
   * @throws UNAVAILABLE when the queue is full or the renderer is closed: another time, or another process, will do.
   */
  render(input: RenderInput): Promise<RenderedPage | null>;
  /** Ends the Worker; running and waiting renders are rejected. */
  close(): Promise<void>;
}

interface Job {
  readonly input: RenderInput;
  readonly resolve: (page: RenderedPage | null) => void;
  readonly reject: (reason: Error) => void;
}

/** Renders pages one after another in one Worker, started at the first job. */
export function createRenderer(options: RendererOptions): Renderer {
  const { deadlineMs, idleMs, log, maxQueued = DEFAULT_MAX_QUEUED } = options;
  const queue: Job[] = [];
  let thread: RenderThread | null = null;
  let idleTimer: Timer | undefined;
  let draining: Promise<void> | null = null;
  let closed = false;

  async function runJob({ input, resolve, reject }: Job): Promise<void> {
    thread ??= startRenderThread();
    const outcome = await thread.run(input, deadlineMs);
    if (outcome.page === null) {
      if (outcome.lost) thread = null;
      const { format, content } = input;
      if (!closed)
        log.warn({ format, length: content.length, reason: outcome.reason }, 'page was not rendered');
    }
    if (closed) reject(errors.unavailable('renderer'));
    else resolve(outcome.page);
  }

  async function drain(): Promise<void> {
    clearTimeout(idleTimer);
    for (let job = queue.shift(); job; job = queue.shift()) {
      if (closed) job.reject(errors.unavailable('renderer'));
      else await runJob(job);
    }
    thread?.idle();
    idleTimer = setTimeout(endThread, idleMs);
    idleTimer.unref();
    draining = null;
  }

  function endThread(): void {
    thread?.stop();
    thread = null;
  }

  return {
    async render(input) {
      if (closed) throw errors.unavailable('renderer');
      if (queue.length >= maxQueued) throw options.refuse();
      return await new Promise((resolve, reject) => {
        queue.push({ input, resolve, reject });
        draining ??= drain();
      });
    },
    async close() {
      closed = true;
      thread?.stop();
      await draining;
      clearTimeout(idleTimer);
      endThread();
    },
  };
}
