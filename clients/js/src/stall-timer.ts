/** Aborts when it was not restarted for a while. */
export class StallTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(ms = this.#ms): void {
    clearTimeout(this.#timer);
    const reason = new Error(`nothing happened for ${Math.round(ms / 1000)} seconds`);
    this.#timer = setTimeout(() => this.#controller.abort(reason), ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** The service gives no upload more time, in ms. */
const MAX_UPLOAD_MS = 1_860_000;

/** The slowest pace at which the service takes a body. */
const MIN_PACE = { bytes: 16_384, ms: 15_000 };

/** How long an upload may take whose progress is not told, as in browsers, in ms: as long as the service allows for its size. */
export function longestUploadMs(timeoutMs: number, totalBytes: number | null): number {
  if (totalBytes === null) return MAX_UPLOAD_MS;
  const pieces = Math.floor(totalBytes / MIN_PACE.bytes);
  return Math.min(timeoutMs + pieces * MIN_PACE.ms, Math.max(timeoutMs, MAX_UPLOAD_MS));
}
