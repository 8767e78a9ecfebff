import type { RenderedPage, RenderInput } from './document.ts';
import type { WorkerMessage } from './render-worker.ts';

/** Time a Worker has to load its modules, before the clock of its first job starts. */
const BOOT_DEADLINE_MS = 10_000;

type RenderOutcome =
  | { readonly page: RenderedPage }
  /** `lost`: the Worker is gone, and a new one has to be started. */
  | { readonly page: null; readonly reason: string; readonly lost: boolean };

/** `tookMs`: the time of the job itself, without that of the Worker's start. */
type TimedOutcome = RenderOutcome & { readonly tookMs: number };

export interface RenderThread {
  /** One job at a time. Never rejects. Past the deadline (ms, from the Worker's start of the job) the Worker is killed. */
  run(input: RenderInput, deadlineMs: number): Promise<TimedOutcome>;
  /** While idle it does not keep the process alive. */
  idle(): void;
  /** Ends the Worker, which gives its heap back, and the job in it. */
  stop(): void;
}

export function startRenderThread(): RenderThread {
  const worker = new Worker(new URL('./render-worker.ts', import.meta.url), { name: 'render' });
  let receive: (outcome: RenderOutcome | 'ready') => void = () => undefined;
  let ready = false;

  const lose = (reason: string) => {
    worker.terminate();
    receive({ page: null, reason, lost: true });
  };
  worker.onmessage = (event: MessageEvent<WorkerMessage>) => {
    const message = event.data;
    if (message.kind === 'ready') receive('ready');
    else if (message.kind === 'page') receive({ page: message.page });
    else receive({ page: null, reason: message.reason, lost: false });
  };
  worker.onerror = (event) => {
    event.preventDefault();
    lose(`worker failed: ${event.message}`);
  };
  worker.addEventListener('close', () => lose('worker ended'));

  const next = (deadlineMs: number, what: string) =>
    new Promise<RenderOutcome | 'ready'>((resolve) => {
      const timer = setTimeout(() => lose(`${what} took more than ${deadlineMs} ms`), deadlineMs);
      receive = (outcome) => {
        clearTimeout(timer);
        receive = () => undefined;
        resolve(outcome);
      };
    });
  const booted = next(BOOT_DEADLINE_MS, 'worker start');

  return {
    async run(input, deadlineMs) {
      worker.ref();
      if (!ready) {
        const outcome = await booted;
        if (outcome !== 'ready') return { ...outcome, tookMs: 0 };
        ready = true;
      }
      const begun = performance.now();
      const answer = next(deadlineMs, 'render');
      worker.postMessage(input);
      const outcome = await answer;
      const tookMs = performance.now() - begun;
      if (outcome === 'ready') return { page: null, reason: 'worker out of step', lost: true, tookMs };
      return { ...outcome, tookMs };
    },
    idle() {
      worker.unref();
    },
    stop() {
      lose('renderer closed');
    },
  };
}
