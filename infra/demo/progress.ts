/** Tells how far something has come. */
export interface Progress {
  /** `share` from 0 to 1. */
  show(share: number, note: string): void;
  /** The bar makes room for what is written next. */
  end(): void;
}

/** Where it is told: standard output, or what stands for it. */
export interface Output {
  readonly isTTY: boolean;
  write(text: string): unknown;
}

const WIDTH = 30;

/** Without a terminal there is a line for each of so many parts. */
const LINES = 4;

/** A bar that grows on a terminal; elsewhere, a few plain lines. */
export function createProgress(label: string, output: Output): Progress {
  let shown = 0;
  let length = 0;
  return {
    show(share, note) {
      if (output.isTTY) {
        const full = Math.round(share * WIDTH);
        const line = `${label} [${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${note}`;
        output.write(`\r${line.padEnd(length)}`);
        length = line.length;
        return;
      }
      const part = Math.floor(share * LINES);
      if (part <= shown) return;
      shown = part;
      output.write(`${label}: ${note}\n`);
    },
    end() {
      if (output.isTTY && length > 0) output.write('\n');
    },
  };
}
