import type { ValidationIssues } from '../http/validation-issues.ts';

export const NAMESPACE = /^[a-z0-9-]{3,32}$/;
export const ITEM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Names that the service keeps for itself (specification 2.3). */
export const RESERVED_NAMESPACES: ReadonlySet<string> = new Set([
  ...['api', 'docs', 'assets', 'gallery', 'stats', 'admin', 'mcp', 'health', 'metrics', 'sitemap', 'robots'],
  ...['swagger', 'static', 'preview', 'preview-html', 'report', 'reports', 'mine', 'manage', 'edit'],
]);

export function parseNamespace(value: unknown, issues: ValidationIssues): string {
  if (typeof value !== 'string' || !NAMESPACE.test(value)) {
    issues.add('NAMESPACE_INVALID', 'ns', 'has 3 to 32 characters out of a-z, 0-9 and the hyphen.');
    return '';
  }
  if (RESERVED_NAMESPACES.has(value)) {
    issues.add(
      'NAMESPACE_RESERVED',
      'ns',
      `"${value}" is reserved for the service. Choose another, or omit it to use "public".`,
    );
  }
  return value;
}

export function parseId(value: unknown, issues: ValidationIssues): string | null {
  if (value === null) return null;
  if (typeof value === 'string' && ITEM_ID.test(value)) return value;
  issues.add(
    'ID_INVALID',
    'id',
    'has 1 to 64 characters out of A-Z, a-z, 0-9, dot, underscore and hyphen, and starts with a letter or digit.',
  );
  return null;
}
