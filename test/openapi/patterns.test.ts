import { expect, test } from 'bun:test';
import { DOCUMENT } from './schemas.ts';
import { TOOLS } from './tools.ts';

/** Every regular expression of schemas, each once. */
function patternsIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'pattern' && typeof inner === 'string') found.add(inner);
    else patternsIn(inner, found);
  }
  return found;
}

const PATTERNS = [...patternsIn([DOCUMENT, TOOLS.map(({ input, output }) => [input, output])])];

// Swagger UI compiles patterns without the flag `u`, by which `\p{Cc}` matches the letters of its name. Python's `re` and Go's
// RE2 know no `\p{Cc}` or `\u` at all: clients of MCP in Python refuse a tool with one, after its call was carried out.
test('patterns of the document and of the tools need no flag', () => {
  expect(PATTERNS.length).toBeGreaterThan(20);
  expect(PATTERNS.filter((pattern) => /\\[pu]/i.test(pattern))).toEqual([]);
  for (const pattern of PATTERNS)
    for (const flags of ['', 'u']) expect(() => new RegExp(pattern, flags)).not.toThrow();
});
