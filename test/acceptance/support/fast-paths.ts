import type { Client } from './client.ts';

/** A condition that no version meets: the answer is that of a plain GET, on the normal path. */
export const NORMALLY = { 'If-None-Match': '"none"' };

/** Headers that differ for each request. */
const OWN = ['date', 'x-request-id', 'x-views', 'ratelimit-remaining', 'ratelimit-reset'];

/** All of an answer that the fast and the normal path have to have in common. */
export async function comparable(response: Response) {
  const headers = [...response.headers].filter(([name]) => !OWN.includes(name)).toSorted();
  return { status: response.status, headers, body: await response.text() };
}

/** Requests that a gateway has answered on a fast path so far. */
export async function fastPathAnswers({ url }: Pick<Client, 'url'>, what: 'reads' | 'puts'): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^hot_${what}_total\\S* (\\d+)$`, 'm').exec(metrics)?.[1]);
}
