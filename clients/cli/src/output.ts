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
    process.stdout.write(this.isJson ? `${JSON.stringify(json)}\n` : text === '' ? '' : `${text}\n`);
  }

  /** For people only. */
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
      const lines = [
        `perch: ${message}`,
        ...details.map(({ field, message: fault }) => `  ${field} ${fault}`),
        ...(hint === null ? [] : [`  ${hint}`]),
        ...(code === null ? [] : [`  (${code}${requestId === null ? '' : `, request ${requestId}`})`]),
      ];
      process.stderr.write(`${lines.join('\n')}\n`);
    }
    return exitCode;
  }
}
