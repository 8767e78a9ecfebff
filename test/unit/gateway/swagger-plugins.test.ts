import { expect, test } from 'bun:test';
import { descriptionHtml, resolveSubtree } from '../../../services/gateway/web/browser/swagger-plugins.ts';

test('a description is markdown, in which tags stand for themselves', () => {
  expect(descriptionHtml('Has `a` and [b](/c).')).toBe('<p>Has <code>a</code> and <a href="/c">b</a>.</p>');
  expect(descriptionHtml('An <img src=x onerror=alert(1)> & <b>b</b>')).toBe(
    '<p>An &lt;img src=x onerror=alert(1)&gt; &amp; &lt;b&gt;b&lt;/b&gt;</p>',
  );
  expect(descriptionHtml('<script>alert(1)</script>')).not.toContain('<script>');
});

test.each(['Available values', 'Default value', 'Example'])(
  'the words "%s" of Swagger UI are emphasised',
  (words) => {
    expect(descriptionHtml(`<i>${words}</i> : a, <i>b</i>`)).toBe(
      `<p><em>${words}</em> : a, &lt;i&gt;b&lt;/i&gt;</p>`,
    );
  },
);

const resolve = async (document: unknown, ...path: string[]): Promise<unknown> =>
  (await resolveSubtree(document, path)).spec;

test('what references stand for takes their place, and keeps its name', async () => {
  const document = {
    get: { body: { $ref: '#/schemas/Page' }, tags: ['a', { $ref: '#/schemas/Id' }] },
    schemas: { Page: { id: { $ref: '#/schemas/Id' } }, Id: { type: 'string' } },
  };
  const id = { type: 'string', $$ref: '#/schemas/Id' };
  expect(await resolve(document, 'get')).toEqual({ body: { id, $$ref: '#/schemas/Page' }, tags: ['a', id] });
});

test('names in references are decoded', async () => {
  const document = { get: { $ref: '#/paths/~1api~1%7Bns%7D/a~0b' }, paths: { '/api/{ns}': { 'a~b': 1 } } };
  expect(await resolve(document, 'get')).toBe(1);
});

test('a schema that contains itself is resolved once', async () => {
  const document = { schemas: { Tree: { children: { $ref: '#/schemas/Tree' } } } };
  expect(await resolve(document, 'schemas', 'Tree')).toEqual({
    children: { children: { $ref: '#/schemas/Tree' }, $$ref: '#/schemas/Tree' },
  });
});

test('other documents and missing parts are left alone', async () => {
  const elsewhere = { $ref: 'https://elsewhere.example/schema.json' };
  expect(await resolve({ get: elsewhere }, 'get')).toEqual(elsewhere);
  expect(await resolve({ get: { $ref: '#/nothing' } }, 'get')).toBeUndefined();
  expect(await resolve({}, 'a', 'b')).toBeUndefined();
});
