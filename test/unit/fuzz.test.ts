import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { atDepth } from '../depth.ts';
import type { Plan } from '../fuzz/plan.ts';
import { isValid, nearValues, validValues } from '../fuzz/schema-values.ts';
import { faultsOf } from '../fuzz/verdict.ts';
import { OPERATIONS } from '../openapi/schemas.ts';

const PLAN: Plan = {
  template: '/healthz',
  method: 'GET',
  wanted: null,
  parts: {},
  tail: '',
  query: [],
  headers: [],
  body: null,
  change: null,
  expected: 'any',
};

const HEADERS = {
  'X-Request-Id': 'V1StGXR8_Z5jdHi6',
  'X-Content-Type-Options': 'nosniff',
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag',
  'Content-Type': 'application/json',
};

const verdict = (plan: Partial<Plan>, status = 200, body = '{"status":"alive"}') =>
  faultsOf(
    { ...PLAN, ...plan },
    { method: 'GET', path: '/healthz', status, headers: new Headers(HEADERS), body },
  );

describe('an answer is a fault', () => {
  test('not when it is as documented', () => expect(verdict({})).toEqual([]));
  test('when it has a body that is not documented', () =>
    expect(verdict({}, 200, '{"status":"odd"}')[0]).toContain('against its documentation'));
  test('when it is 500', () => expect(verdict({}, 500)).toContain('500 is our fault'));
  test('when it refuses what the document allows', () =>
    expect(verdict({ expected: 'accepted' }, 400).at(-1)).toContain('allows the request'));
  test('when it misses what is there', () =>
    expect(verdict({ expected: 'accepted' }, 404).at(-1)).toContain('allows the request'));
  test('when it does what the document does not allow', () =>
    expect(verdict({ expected: 'refused' })).toEqual([
      'the document does not allow the request, and it was answered 200',
    ]));
});

describe('values are made of a schema', () => {
  const samples = (values: fc.Arbitrary<unknown>) => fc.sample(values, { seed: 1, numRuns: 200 });

  test('on both sides of each of its edges', () => {
    const made = samples(nearValues(['components', 'parameters', 'GallerySize', 'schema']));
    for (const edge of [0, 1, 100, 101]) expect(made).toContain(edge);
    const lengths = samples(nearValues(['components', 'parameters', 'GallerySearch', 'schema']))
      .filter((value) => typeof value === 'string')
      .map((text) => [...text].length);
    for (const length of [199, 200, 201]) expect(lengths).toContain(length);
  });

  test('and are valid where they shall be, for every parameter and body', () => {
    const numRuns = atDepth(3, 1);
    let count = 0;
    for (const { pointer, operation, parameters } of OPERATIONS) {
      const bodies = Object.keys(operation.requestBody?.content ?? {}).map((type) => [
        ...[...pointer, 'requestBody', 'content', type, 'schema'],
      ]);
      for (const place of [...parameters.map((one) => [...one.pointer, 'schema']), ...bodies]) {
        for (const value of fc.sample(validValues(place), { seed: 1, numRuns })) {
          expect([place, value, isValid(place, value)]).toEqual([place, value, true]);
          count += 1;
        }
      }
    }
    expect(count).toBeGreaterThan(numRuns * 170);
  });
});
