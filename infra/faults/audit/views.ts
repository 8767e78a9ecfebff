import type { Note } from '../../load/findings.ts';
import { AGENT } from '../../load/send.ts';
import type { Views } from '../../load/viewer.ts';

const PATIENCE_MS = 12_000;
const PAUSE_MS = 100;
/** Counts that may lack some, and stay as they are for so long, are whole: a cache brings back nothing that it has lost. */
const SETTLED_MS = 3_000;

/** The views of a page, by a HEAD, which counts none; `null`: it is not answered. */
export async function viewsOf(gateway: string, path: string): Promise<number | null> {
  const request = { method: 'HEAD', headers: AGENT, signal: AbortSignal.timeout(10_000) };
  const answer = await fetch(`${gateway}${path}`, request).catch(() => null);
  return answer?.ok ? Number(answer.headers.get('x-views')) : null;
}

/**
 * Waits until all views of a page are counted, as what was counted without the cache is added when that is back.
 * Returns how many are missing: none, unless the cache itself was lost.
 */
export async function auditViews(
  gateways: string[],
  path: string,
  { counted, uncertain }: Views,
  { mayMiss, note }: { mayMiss: number; note: Note },
): Promise<number> {
  const deadline = Date.now() + PATIENCE_MS;
  let found: Array<number | null> = [];
  let changedAt = Date.now();
  const isWhole = (): boolean =>
    found.length > 0 && found.every((views) => views !== null && views >= counted);
  const isSettled = (): boolean =>
    mayMiss > 0 && !found.includes(null) && Date.now() - changedAt >= SETTLED_MS;
  while (!isWhole() && !isSettled() && Date.now() < deadline) {
    const now = await Promise.all(gateways.map((gateway) => viewsOf(gateway, path)));
    if (!Bun.deepEquals(now, found)) changedAt = Date.now();
    found = now;
    if (!isWhole()) await Bun.sleep(PAUSE_MS);
  }
  const is = `${path} has ${found.join(' and ')} views of ${counted} (${uncertain} uncertain)`;
  const least = Math.min(...found.map((views) => views ?? 0));
  const most = Math.max(...found.map((views) => views ?? 0));
  if (least < counted - mayMiss || most > counted + uncertain) note('views', is);
  return Math.max(0, counted - least);
}
