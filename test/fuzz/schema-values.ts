import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from '../any-character.ts';
import { faultsAt, type JsonObject, resolve } from '../openapi/schemas.ts';

/** A schema of the document by its place there. */
export type Pointer = readonly string[];

export const isValid = (pointer: Pointer, value: unknown): boolean => faultsAt([...pointer], value) === null;

/** Texts that a client may well send: of every plane of Unicode, and of what means something to some parser. */
export const anyText = (maxLength = 24): Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength }),
    fc.string({ unit: 'grapheme', maxLength }),
    fc.string({ unit: anyCharacter, maxLength }),
  );

/** Values that a schema allows: its examples and others, with or without what is optional. */
export function validValues(pointer: Pointer): Arbitrary<unknown> {
  const { pointer: place, value: schema } = resolve([...pointer]);
  const made = shapedLike(place, schema).filter((value) => isValid(place, value));
  const examples = Array.isArray(schema.examples) ? schema.examples : [];
  return examples.length === 0
    ? made
    : fc.oneof({ weight: 2, arbitrary: made }, { weight: 1, arbitrary: fc.constantFrom(...examples) });
}

/** Values of a schema's type, most of which it allows. */
function shapedLike(pointer: Pointer, schema: JsonObject): Arbitrary<unknown> {
  const { const: only, enum: values, anyOf, oneOf, type } = schema;
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom(...values);
  const [name, choices] = Array.isArray(anyOf) ? ['anyOf', anyOf] : ['oneOf', oneOf];
  if (Array.isArray(choices) && type === undefined)
    return fc.oneof(...choices.map((_, index) => validValues([...pointer, String(name), String(index)])));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => shapedLike(pointer, { ...schema, type: one })));
  switch (type) {
    case 'integer':
      return fc.integer({
        min: Number(schema.minimum ?? -1_000_000),
        max: Number(schema.maximum ?? 1_000_000),
      });
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(validValues([...pointer, 'items']), {
        minLength: Number(schema.minItems ?? 0),
        maxLength: 3,
      });
    case 'object':
      return objects(pointer, schema);
    case 'string':
      return texts(schema);
    default:
      return fc.jsonValue({ maxDepth: 3 });
  }
}

function objects(pointer: Pointer, schema: JsonObject): Arbitrary<unknown> {
  const properties = (schema.properties ?? {}) as Record<string, unknown>;
  const values = Object.keys(properties).map((name) => [
    name,
    validValues([...pointer, 'properties', name]),
  ]) as Array<[string, Arbitrary<unknown>]>;
  const requiredKeys = Array.isArray(schema.required) ? schema.required.map(String) : [];
  return fc.record(Object.fromEntries(values), { requiredKeys });
}

function texts({ pattern, format, minLength, maxLength }: JsonObject): Arbitrary<string> {
  const length = { minLength: Number(minLength ?? 0), maxLength: Math.min(Number(maxLength ?? 40), 40) };
  if (format === 'date') return instants.map((at) => at.slice(0, 10));
  if (format === 'date-time') return instants;
  if (format === 'ipv4') return fc.ipV4();
  if (format === 'ipv6') return fc.ipV6();
  if (format === 'uri') return fc.webUrl();
  if (format === 'email') return fc.emailAddress();
  const plain = fc.oneof(fc.string(length), fc.string({ ...length, unit: 'grapheme' }));
  // Most texts match a pattern that excludes characters; fast-check takes too long to make texts from one.
  if (typeof pattern !== 'string' || pattern.includes('[^')) return plain;
  return fc.stringMatching(new RegExp(pattern), { size: 'small' });
}

/** Instants of years that a database holds, as `Date` prints them. */
const instants = fc
  .date({ min: new Date('1970-01-02'), max: new Date('9998-12-30'), noInvalidDate: true })
  .map((date) => date.toISOString());

const ODD_VALUES: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  ' ',
  'null',
  '0',
  [],
  [[]],
  {},
  '__proto__',
];
const ODD_TEXTS = [
  '\0',
  '\u001f',
  '\u0085',
  '\ud800',
  '\u202e',
  '\ufeff',
  '../..',
  '%00',
  "' or 1=1 --",
  '{{7*7}}',
];

/** Values that are close to what a schema allows, on both sides of its edges, and others that are far from it. */
export function nearValues(pointer: Pointer): Arbitrary<unknown> {
  const { pointer: place, value: schema } = resolve([...pointer]);
  const edges = edgesOf(place, schema);
  return fc.oneof(
    { weight: 3, arbitrary: edges.length === 0 ? validValues(place) : fc.constantFrom(...edges) },
    { weight: 1, arbitrary: fc.constantFrom(...ODD_VALUES, ...ODD_TEXTS) },
    { weight: 1, arbitrary: anyText() },
  );
}

function edgesOf(pointer: Pointer, schema: JsonObject): unknown[] {
  const { minimum, maximum, minLength, maxLength, enum: values, anyOf } = schema;
  const around = [minimum, maximum].filter((edge) => typeof edge === 'number');
  const lengths = [minLength, maxLength].filter((edge) => typeof edge === 'number');
  const words = Array.isArray(values) ? values.filter((word) => typeof word === 'string') : [];
  const choices = Array.isArray(anyOf) ? anyOf : [];
  return [
    ...around.flatMap((edge) => [edge - 1, edge, edge + 1]),
    ...lengths.flatMap((edge) => [edge - 1, edge, edge + 1].filter((n) => n >= 0).map((n) => 'é'.repeat(n))),
    ...lengths.map((edge) => '😀'.repeat(edge)),
    ...words.flatMap((word) => [word, `${word}x`, word.slice(1)]),
    ...choices.flatMap((_, index) => {
      const choice = resolve([...pointer, 'anyOf', String(index)]);
      return edgesOf(choice.pointer, choice.value);
    }),
  ];
}
