import type { Client } from './client.ts';
import type { Call } from './send.ts';
import type { WriterOptions } from './writer.ts';

/** The answers to the readers of one page. */
export interface Views {
  /** Reads that count as a view. */
  counted: number;
  /** Reads that may have been counted, although they were not answered, or were refused. */
  uncertain: number;
}

const PAUSE_MS = 15;
const READS = 400;

/** Reads a page through one gateway until it is told to stop, and tells what should have been counted. */
export async function view(
  client: Client,
  call: Call,
  gateway: number,
  { isStopped, step }: Pick<WriterOptions, 'isStopped' | 'step'>,
): Promise<Views> {
  const views: Views = { counted: 0, uncertain: 0 };
  for (let read = 0; read < READS && !isStopped(); read++) {
    await step(async () => {
      const seen = await client.send(call, gateway);
      if (seen.answered && seen.status === 200) views.counted += 1;
      else views.uncertain += 1;
    });
    await Bun.sleep(PAUSE_MS);
  }
  return views;
}
