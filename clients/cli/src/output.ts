import type { Progress } from 'perch-client';
import { explain } from './failures.ts';

/** Prints results to stdout, everything else to stderr. */
export class Output {
  readonly isJson: boolean;
  readonly #isQuiet: boolean;

  constructor(options: { json: boolean; quiet: boolean }) {
    this.isJson = options.json;
    this.#isQuiet = options.quiet;
  }

  /** The result: lines for people and scripts, or one JSON value with `--json`. */
  result(text: string, json: unknown): void {
    this.resultAsText(text, JSON.stringify(json));
  }

  /** `result` with its JSON as text. */
  resultAsText(text: string, json: string): void {
    process.stdout.write(this.isJson ? `${json}\n` : text === '' ? '' : `${text}\n`);
  }

  /** Writes a note for people only. */
  note(text: string): void {
    if (!this.#isQuiet && !this.isJson) process.stderr.write(`${text}\n`);
  }

  /** A QR code and the like, which was asked for. */
  picture(text: string): void {
    process.stderr.write(text.endsWith('\n') ? text : `${text}\n`);
  }

  get showsProgress(): boolean {
    return process.stderr.isTTY === true && !this.#isQuiet && !this.isJson;
  }

  /** Tells a failure; the exit code for it. */
  failure(error: unknown): number {
    const { exitCode, ...failure } = explain(error);
    if (this.isJson) process.stderr.write(`${JSON.stringify({ error: { ...failure, exitCode } })}\n`);
    else {
      const { message, hint, code, requestId, details } = failure;
      // The message names most refused fields by itself.
      const others = details.filter(({ field, message: fault }) => !message.includes(`${field}: ${fault}`));
      const lines = [
        `perch: ${message}`,
        ...others.map(({ field, message: fault }) => `  ${field} ${fault}`),
        ...(hint === null ? [] : [`  ${hint}`]),
        ...(code === null ? [] : [`  (${code}${requestId === null ? '' : `, request ${requestId}`})`]),
      ];
      process.stderr.write(`${lines.join('\n')}\n`);
    }
    return exitCode;
  }
}

const WIDTH = 24;
/** How often the bar is drawn at most, in ms. */
const PACE_MS = 100;

/** A bar on stderr while something is uploaded; nothing where stderr is no terminal. */
export async function withProgress<T>(
  output: Output,
  upload: (onProgress: ((progress: Progress) => void) | undefined) => Promise<T>,
): Promise<T> {
  if (!output.showsProgress) return upload(undefined);
  let drawnAt = 0;
  const draw = ({ sentBytes, totalBytes }: Progress): void => {
    if (sentBytes !== totalBytes && Date.now() - drawnAt < PACE_MS) return;
    drawnAt = Date.now();
    process.stderr.write(`\r\x1b[K${barOf(sentBytes, totalBytes)}`);
  };
  try {
    return await upload(draw);
  } finally {
    process.stderr.write('\r\x1b[K');
  }
}

function barOf(sentBytes: number, totalBytes: number | null): string {
  if (totalBytes === null) return `uploading ${sizeOf(sentBytes)}`;
  const share = totalBytes === 0 ? 1 : sentBytes / totalBytes;
  const filled = Math.round(share * WIDTH);
  const bar = '#'.repeat(filled) + '.'.repeat(WIDTH - filled);
  return `uploading [${bar}] ${Math.floor(share * 100)}% of ${sizeOf(totalBytes)}`;
}

export function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const isLarge = bytes >= 1024 * 1024;
  return `${(bytes / (isLarge ? 1024 * 1024 : 1024)).toFixed(1)} ${isLarge ? 'MB' : 'KB'}`;
}
