import { expect } from 'bun:test';
import { jsonOf } from './client.ts';

/** An answer of the operator's lists: an array, with the rest in headers. */
export interface ListPart<T> {
  items: T[];
  total: number;
  totalIsLowerBound: boolean;
  /** Of the link to the next part; `null` at the end. */
  nextCursor: string | null;
}

/** Reads a list and its headers. */
export async function listOf<T>(response: Response): Promise<ListPart<T>> {
  const items = await jsonOf<T[]>(response);
  expect(Array.isArray(items)).toBe(true);
  const link = response.headers.get('Link');
  if (link !== null) expect(link).toMatch(/^<https?:\/\/[^>]+>; rel="next"$/);
  const next = link === null ? null : new URL(link.slice(1, link.indexOf('>')));
  return {
    items,
    total: Number(response.headers.get('X-Total-Count')),
    totalIsLowerBound: response.headers.get('X-Total-Is-Lower-Bound') === 'true',
    nextCursor: next?.searchParams.get('cursor') ?? null,
  };
}
