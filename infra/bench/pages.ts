/** Size of the pages that are published and read here. */
export const PAGE_BYTES = 10_240;

/** An HTML page of exactly 10 KB whose bytes no other number gives. */
export function pageBytes(number: number): Uint8Array {
  const start = `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Page ${number}</title></head><body>\n`;
  const end = '</body></html>\n';
  const line = '<p>A paragraph of ordinary length, as a page for reading has many of them.</p>\n';
  const filling = line.repeat(Math.ceil(PAGE_BYTES / line.length));
  return Buffer.from(start + filling.slice(0, PAGE_BYTES - start.length - end.length) + end);
}

/** The task of a client process, given as JSON on its command line. */
export interface CreateTask {
  /** Number of the first page: no two pages of a run have the same bytes. */
  first: number;
  pages: number;
  inFlight: number;
  /** Pages made before the clock starts, with connections opened and code compiled. */
  warmUp: number;
  /** Ends the round early. */
  limitMs: number;
}

/** The measurements of a client process, written as JSON to its standard output. */
export interface CreateOutcome {
  elapsedMs: number;
  /** How long each page took. */
  timesMs: number[];
}

/** Makes pages, so many at a time, and takes the time of each. A page that fails ends the run. */
export async function createPages(
  task: CreateTask,
  create: (bytes: Uint8Array, number: number) => Promise<unknown>,
): Promise<CreateOutcome> {
  await inFlight(task.inFlight, task.first, task.first + task.warmUp, Number.POSITIVE_INFINITY, create);
  const start = performance.now();
  const first = task.first + task.warmUp;
  const timesMs = await inFlight(task.inFlight, first, first + task.pages, start + task.limitMs, create);
  return { elapsedMs: performance.now() - start, timesMs };
}

async function inFlight(
  lanes: number,
  first: number,
  end: number,
  deadline: number,
  create: (bytes: Uint8Array, number: number) => Promise<unknown>,
): Promise<number[]> {
  let next = first;
  const timesMs: number[] = [];
  const lane = async (): Promise<void> => {
    while (next < end && performance.now() < deadline) {
      const number = next++;
      const bytes = pageBytes(number);
      const start = performance.now();
      await create(bytes, number);
      timesMs.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return timesMs;
}
