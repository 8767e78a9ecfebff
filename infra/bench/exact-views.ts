import { count } from './table.ts';
import type { Verdict } from './verdicts.ts';

/** Whether X-Views has grown by all answers. @param mostUnanswered requests that wrk had on their way as its rounds ended */
export function viewsExact(counted: number, answered: number, mostUnanswered: number): Verdict {
  const most = answered + mostUnanswered;
  return {
    what: 'X-Views counted every request once',
    found: `${count(counted)} for ${count(answered)} answers`,
    wanted: `up to ${count(most)}, with those on their way at the ends`,
    met: counted >= answered && counted <= most,
  };
}

/** X-Views, its own read included, once the requests that wrk left behind are through. */
export async function settledViews(page: string): Promise<number> {
  await Bun.sleep(500);
  const response = await fetch(page, { headers: { 'User-Agent': 'perch-bench/1' } });
  await response.arrayBuffer();
  return Number(response.headers.get('x-views'));
}
