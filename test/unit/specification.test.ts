import { expect, test } from 'bun:test';
import { RESERVED_NAMESPACES } from '../../services/gateway/items/item-address.ts';
import { ERROR_EXAMPLES } from '../../services/gateway/openapi/error-samples.ts';
import { documentedOperations } from '../openapi/schemas.ts';

const specification = await Bun.file(new URL('../../docs/specification.md', import.meta.url)).text();

/** From a chapter's or section's heading to the next heading of that level. */
function part(heading: string): string {
  const start = specification.indexOf(`\n${heading}`);
  const level = heading.split(' ', 1)[0] ?? '';
  const end = specification.indexOf(`\n${level} `, start + 1);
  return start < 0 ? '' : specification.slice(start, end < 0 ? undefined : end);
}

/** Where the specification writes a path in another form than the interface document. */
const OTHER_FORMS: Record<string, string> = {
  ...Object.fromEntries(
    ['html', 'files', 'json', 'kv', 'sites'].map((kind) => [
      `/api/${kind}/{ns}/{id}/hosting`,
      '/api/{html|files|json|kv|sites}/{ns}/{id}/hosting',
    ]),
  ),
  '/api/html/{ns}/{id}/source': '…/source',
  '/preview/{ns}/{name}': '/preview/{ns}/{id}.png',
  '/api/sites/{ns}/{id}/files/{filePath}': '/api/sites/{ns}/{id}/files/{path}',
};

/** Whether it stands there whole, not as the beginning or end of another path. */
const isNamed = (path: string): boolean =>
  new RegExp(`(?<=[\\s\`])${RegExp.escape(OTHER_FORMS[path] ?? path)}(?=[\\s\`?]|$)`, 'm').test(
    specification,
  );

test('the specification names every path of the interface document', () => {
  const paths = [...new Set(documentedOperations().map(({ path }) => path))];
  expect(paths.filter((path) => !isNamed(path))).toEqual([]);
});

test('the catalogue has every error code with its statuses, and no other', () => {
  const rows = [...part('### 22.2').matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)];
  const written = rows.map(([, code, status]) => `${code} ${status}`);
  const known = Object.values(ERROR_EXAMPLES).map(({ value }) => {
    const { code, status } = value as { code: string; status: number };
    return `${code} ${status}`;
  });
  expect(written.toSorted()).toEqual(known.toSorted());
});

test('the reserved namespaces are those that are refused', () => {
  const [, list = ''] = /Reserved, 400 `NAMESPACE_RESERVED`: ([^.]*)\./.exec(part('### 2.3')) ?? [];
  const written = [...list.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  expect(written.toSorted()).toEqual([...RESERVED_NAMESPACES].toSorted());
});

test('sections are numbered in order, within their chapter', () => {
  const numbers = [...specification.matchAll(/^#{2,3} (\d+)(?:\.(\d+))?[. ]/gm)];
  let [chapter, section] = [0, 0];
  for (const [heading, major, minor] of numbers) {
    if (minor === undefined) [chapter, section] = [chapter + 1, 0];
    else section += 1;
    expect([heading, Number(major), Number(minor ?? 0)]).toEqual([heading, chapter, section]);
  }
  expect(chapter).toBe(25);
});
