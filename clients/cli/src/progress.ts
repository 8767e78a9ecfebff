import type { Progress } from 'perch-client';
import type { Output } from './output.ts';

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

export function barOf(sentBytes: number, totalBytes: number | null): string {
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
