import type { ValidationIssues } from './validation-issues.ts';

/** The requested page of a list. */
export interface NumberedPage {
  /** From 1. */
  page: number;
  size: number;
}

/** Largest page number, far beyond the end of any list. */
export const MAX_PAGE = 1_000_000;

/** `page` and `size` of a query. */
export function parseNumberedPage(
  query: URLSearchParams,
  size: { default: number; max: number },
  issues: ValidationIssues,
): NumberedPage {
  return {
    page: parseCount(query, 'page', MAX_PAGE, issues) ?? 1,
    size: parseCount(query, 'size', size.max, issues) ?? size.default,
  };
}

/** A whole number of a query, from 1; `null` when it is left out or blank. */
export function parseCount(
  query: URLSearchParams,
  name: string,
  max: number,
  issues: ValidationIssues,
): number | null {
  const text = query.get(name)?.trim() ?? '';
  if (text === '') return null;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= max) return value;
  issues.add('VALIDATION_FAILED', name, `must be a whole number from 1 to ${max}.`);
  return null;
}

/** How a service is asked for a page. */
export const windowOf = ({ page, size }: NumberedPage): { offset: number; limit: number } => ({
  offset: (page - 1) * size,
  limit: size,
});

/** A page of a list as an answer. */
export const numberedPage = <I>(items: I[], total: number, { page, size }: NumberedPage) => ({
  ...{ items, total, page, size, pages: Math.ceil(total / size) },
});
