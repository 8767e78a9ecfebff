import { describe, expect, test } from 'bun:test';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ExampleRequest } from '../../services/gateway/openapi/operation.ts';
import { registeredRoutes, withoutNames } from './app.ts';
import { OPENAPI_SCHEMA } from './openapi-schema.ts';
import { operationDigests } from './operation-digests.ts';
import {
  DOCUMENT,
  documentedOperations,
  faultsAt,
  type JsonObject,
  OPERATIONS,
  resolve,
  typedValue,
} from './schemas.ts';

/** Every object of the document with its place. */
function* objects(value: unknown = DOCUMENT, pointer: string[] = []): Generator<[string[], JsonObject]> {
  if (typeof value !== 'object' || value === null) return;
  yield [pointer, value as JsonObject];
  for (const [name, inner] of Object.entries(value)) yield* objects(inner, [...pointer, name]);
}

const isExampleValue = (pointer: string[]): boolean =>
  pointer.includes('value') && pointer.includes('examples');

const repeated = (names: string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

describe('the OpenAPI document', () => {
  test('has the form of one', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    ajv.validate(OPENAPI_SCHEMA, DOCUMENT);
    expect(ajv.errors ?? []).toEqual([]);
  });

  test('has valid schemas only', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats(ajv);
    for (const [pointer, { schema }] of objects()) {
      if (schema === undefined || isExampleValue(pointer)) continue;
      expect([pointer, ajv.validateSchema(schema as object), ajv.errors]).toEqual([pointer, true, null]);
    }
  });

  test('names each word of a choice once, in whatever case', () => {
    for (const [pointer, { enum: words }] of objects()) {
      if (!Array.isArray(words) || isExampleValue(pointer)) continue;
      const names = words.filter((word) => typeof word === 'string').map((word) => word.toLowerCase());
      expect([pointer, repeated(names)]).toEqual([pointer, []]);
    }
  });

  test('refers to nothing that is not there, and has no component that nothing refers to', () => {
    const used = new Set<string>();
    for (const [, { $ref }] of objects()) {
      if (typeof $ref !== 'string') continue;
      used.add($ref);
      resolve($ref.slice(2).split('/'));
    }
    const { securitySchemes, responses, ...components } = DOCUMENT.components as Record<string, JsonObject>;
    expect(Object.keys(securitySchemes ?? {}).length).toBeGreaterThan(0);
    expect(Object.keys(responses ?? {}).length).toBeGreaterThan(0);
    const unused = Object.entries(components).flatMap(([group, parts]) =>
      Object.keys(parts)
        .map((name) => `#/components/${group}/${name}`)
        .filter((reference) => !used.has(reference)),
    );
    expect(unused).toEqual([]);
  });

  test('describes every route of the service, and no other', () => {
    const name = ({ method, path }: { method: string; path: string }) => `${method} ${withoutNames(path)}`;
    const registered = registeredRoutes().map(name);
    expect(documentedOperations().map(name).sort()).toEqual([...new Set(registered)].sort());
  });

  // To change the interface on purpose, put the digest that the failure shows into operation-digests.json.
  test('says of every operation exactly what was agreed upon', async () => {
    const agreed = await Bun.file(new URL('operation-digests.json', import.meta.url)).json();
    expect(operationDigests(DOCUMENT)).toEqual(agreed);
  });

  test('names every operation once', () => {
    expect(repeated(OPERATIONS.map(({ operation }) => operation.operationId))).toEqual([]);
  });

  test('has every tag and security scheme that its operations name', () => {
    const tags = (DOCUMENT.tags as Array<{ name: string }>).map(({ name }) => name);
    const schemes = Object.keys((DOCUMENT.components as { securitySchemes: object }).securitySchemes);
    for (const { operation } of OPERATIONS) {
      expect(tags).toContain(operation.tags[0]);
      for (const scheme of operation.security.flatMap(Object.keys)) expect(schemes).toContain(scheme);
    }
    expect(tags.toSorted()).toEqual(
      [...new Set(OPERATIONS.map(({ operation }) => operation.tags[0]))].sort(),
    );
  });

  test('has headers of content only where content is served', () => {
    for (const id of ['readStore', 'readKey']) {
      const found = OPERATIONS.find(({ operation }) => operation.operationId === id);
      const answer = found?.operation.responses['200'] ?? {};
      const names = Object.keys('headers' in answer ? (answer.headers ?? {}) : {});
      expect(names).toContain('Cache-Control');
      for (const name of ['X-Views', 'Content-Security-Policy', 'Content-Disposition'])
        expect(names).not.toContain(name);
      expect([id, names.includes('ETag')]).toEqual([id, id === 'readKey']);
    }
  });

  test('describes every part of a path, and no parameter twice', () => {
    for (const { path, parameters } of OPERATIONS) {
      const inPath = parameters.filter(({ parameter }) => parameter.in === 'path');
      const names = inPath.map(({ parameter }) => parameter.name);
      expect([path, names.sort()]).toEqual([path, (path.match(/(?<=\{)[^}]+/g) ?? []).sort()]);
      for (const { parameter } of inPath) expect(parameter.required).toBe(true);
      expect(repeated(parameters.map(({ parameter }) => `${parameter.in} ${parameter.name}`))).toEqual([]);
    }
  });
});

describe('examples', () => {
  test('of bodies are what their schemas say', () => {
    let count = 0;
    for (const [pointer, { schema, examples }] of objects()) {
      if (schema === undefined || examples === undefined || isExampleValue(pointer)) continue;
      for (const name of Object.keys(examples as object)) {
        const { value } = resolve([...pointer, 'examples', name]).value;
        expect([pointer, name, faultsAt([...pointer, 'schema'], value)]).toEqual([pointer, name, null]);
        count += 1;
      }
    }
    expect(count).toBeGreaterThan(100);
  }, 240_000);

  test('of parameters and headers are there, and what their schemas say', () => {
    const { parameters, headers } = DOCUMENT.components as Record<string, Record<string, JsonObject>>;
    for (const [group, parts] of Object.entries({ parameters, headers })) {
      for (const [name, { schema, example }] of Object.entries(parts ?? {})) {
        const examples = [example, ...((schema as { examples?: unknown[] }).examples ?? [])];
        const values = examples.filter((value) => value !== undefined);
        expect([name, values.length]).not.toEqual([name, 0]);
        for (const value of values)
          expect([name, faultsAt(['components', group, name, 'schema'], value)]).toEqual([name, null]);
      }
    }
  });

  for (const { path, method, operation, parameters, pointer } of OPERATIONS) {
    test(`requests of ${method} ${path} use what is documented`, () => {
      const requests = operation['x-example-requests'];
      const statuses = Object.keys(operation.responses).map(Number);
      const succeeds = ({ status }: ExampleRequest) => status < 400 && status !== 304;
      expect(requests.some(succeeds)).toBe(true);
      expect(repeated(requests.map(({ summary }) => summary))).toEqual([]);
      for (const { status, path: parts, query, headers, body } of requests) {
        expect(statuses).toContain(status);
        const sent = { path: parts, query, header: headers };
        for (const [where, values] of Object.entries(sent)) {
          for (const [name, value] of Object.entries(values ?? {})) {
            // RFC 9110 has these for every request; OpenAPI documents them by its media types.
            if (['Accept', 'Sec-Fetch-Dest'].includes(name)) continue;
            const known = parameters.find(
              ({ parameter }) => parameter.in === where && parameter.name === name,
            );
            expect([where, name, known?.parameter.name]).toEqual([where, name, name]);
            if (known === undefined || /^\{\w+\}$/.test(value)) continue;
            const fault = faultsAt([...known.pointer, 'schema'], typedValue(value, known.parameter));
            expect([name, fault]).toEqual([name, null]);
          }
        }
        if (operation.requestBody?.required !== false)
          expect(body === undefined).toBe(operation.requestBody === undefined);
        if (body === undefined) continue;
        const content = operation.requestBody?.content ?? {};
        expect(Object.keys(content)).toContain(body.type);
        if ('example' in body)
          resolve([...pointer, 'requestBody', 'content', body.type, 'examples', body.example]);
      }
    });
  }
});
