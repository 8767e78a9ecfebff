import type { DestinationStream } from 'pino';

export interface GatheredLines extends DestinationStream {
  /** Hands on what has been gathered. */
  handOn(): void;
}

/**
 * Gathers lines into blocks before they go to pino's own destination, which measures all that it holds at each
 * write. A block leaves when it has `blockLength` characters or after `everyMs`.
 */
export function gatherLines(
  destination: DestinationStream,
  { blockLength, everyMs }: { blockLength: number; everyMs: number },
): GatheredLines {
  let block = '';
  const handOn = (): void => {
    if (block === '') return;
    const full = block;
    block = '';
    destination.write(full);
  };
  setInterval(handOn, everyMs).unref();
  return {
    write(line) {
      block += line;
      if (block.length >= blockLength) handOn();
    },
    handOn,
  };
}
