import { createHash } from 'node:crypto';

/**
 * A digest of each operation, by `METHOD path`, with all that it refers to in its place and names in order: two
 * documents that say the same of an operation give it one digest, wherever they keep the parts.
 */
export function operationDigests(document: object): Record<string, string> {
  const { paths } = document as { paths: Record<string, Record<string, object>> };
  const digests = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const text = JSON.stringify(canonical(operation, document));
      const digest = createHash('sha256').update(text).digest('base64url').slice(0, 16);
      return [`${method.toUpperCase()} ${path}`, digest] as const;
    }),
  );
  return Object.fromEntries(digests.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function canonical(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((one) => canonical(one, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string') return canonical(at($ref, document), document);
  const entries = Object.entries(value).filter(([name]) => name !== 'x-surface');
  return Object.fromEntries(
    entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, canonical(inner, document)]),
  );
}

/** Resolves a reference within the document. */
function at(reference: string, document: object): unknown {
  let found: unknown = document;
  for (const part of reference.slice(2).split('/')) found = (found as Record<string, unknown>)[part];
  return found;
}
