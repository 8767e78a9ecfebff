import fc, { type Arbitrary } from 'fast-check';
import { PNG_BASE64, SITE_ZIP_BASE64 } from '../../services/gateway/openapi/samples.ts';
import { encodeForm, FORM_TYPE, type FormPart } from '../acceptance/support/multipart.ts';
import { type JsonObject, resolve } from '../openapi/schemas.ts';
import type { PlannedBody } from './plan.ts';
import { anyText, isValid, nearValues, type Pointer, validValues } from './schema-values.ts';

/** A body, and whether the document allows it; `null` where the document cannot say. */
export interface JudgedBody extends PlannedBody {
  isAllowed: boolean | null;
}

const ZIP = Buffer.from(SITE_ZIP_BASE64, 'base64');
const PNG = Buffer.from(PNG_BASE64, 'base64');

/** The `{ns}` of a form's field is not that of a path. */
const escapedBraces = (text: string): string => text.replace(/\{(?=\w+\})/g, '{ ');

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** Bodies of one content type of an operation as the document has them. */
export function validBodies(pointer: Pointer, type: string): Arbitrary<PlannedBody> {
  const schema = [...pointer, 'schema'];
  switch (type) {
    case 'application/json':
      return validValues(schema).map((value) => ({ type, bytes: bytesOf(JSON.stringify(value)) }));
    case 'application/x-www-form-urlencoded':
      return validValues(schema).map((value) => ({ type, bytes: urlEncoded(asForm(value)) }));
    case 'multipart/form-data':
      return validForms(schema).map((parts) => ({ type: FORM_TYPE, bytes: encodeForm(parts) }));
    case 'application/zip':
      return fc.constant({ type, bytes: ZIP });
    case 'application/octet-stream': {
      // Creates make a file of a picture; updates and previews take text alone.
      const makesFiles = pointer.includes('post') && !pointer.includes('/api/preview');
      return fc
        .constantFrom(bytesOf('We go live on Monday.\n'), ...(makesFiles ? [PNG] : []))
        .map((bytes) => ({ type, bytes }));
    }
    default:
      return validValues(schema).map((text) => ({ type, bytes: bytesOf(escapedBraces(String(text))) }));
  }
}

const lines = (maxLength: number): Arbitrary<string> =>
  anyText(maxLength).map((text) => text.toWellFormed().replace(/\p{Cc}/gu, ' '));

/** Entries of the blocklist. No schema says which networks there are, or that one of two members is needed. */
export const validBlocks: Arbitrary<PlannedBody> = fc
  .record(
    {
      ip: fc.oneof(
        fc.ipV4(),
        fc.ipV6().filter((address) => !address.includes('.')),
        fc.tuple(fc.ipV4(), fc.integer({ min: 8, max: 32 })).map(([address, bits]) => `${address}/${bits}`),
        fc.constantFrom('2001:db8::/32', '2a00::/16', ''),
      ),
      uaPattern: lines(40).map((text) => `FuzzBot/*${text}`),
      reason: lines(40).map((text) => `For a test. ${text}`),
      duration: fc.constantFrom('P7D', 'PT12H', 'P1Y2M3W4DT5H6M7S', '', null),
    },
    { requiredKeys: ['uaPattern', 'reason'] },
  )
  .map((block) => ({ type: 'application/json', bytes: bytesOf(JSON.stringify(block)) }));

const hex = (digits: number): Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEF'), minLength: digits, maxLength: digits });

/** Takedowns of nothing that is there. No schema says how wide a network may be. */
export const validTakedowns: Arbitrary<PlannedBody> = fc
  .tuple(
    fc.oneof(
      fc.record({ ownerId: hex(64) }),
      fc.record({ sha256: fc.oneof(hex(32), hex(64)) }),
      fc.nat({ max: 112 }).map((bits) => ({ network: `fd00:1:2:3::/${16 + bits}` })),
      fc.nat({ max: 8 }).map((bits) => ({ network: `203.0.113.0/${24 + bits}` })),
    ),
    fc.record(
      {
        reason: lines(40).map((text) => `For a test. ${text}`),
        limit: fc.nat({ max: 1_000 }),
        blockContent: fc.boolean(),
      },
      { requiredKeys: ['reason'] },
    ),
  )
  .map(([target, rest]) => ({
    type: 'application/json',
    bytes: bytesOf(JSON.stringify({ ...target, ...rest })),
  }));

/** Bodies of one content type that are off in one thing, and whether they are allowed all the same. */
export function nearBodies(pointer: Pointer, type: string): Arbitrary<JudgedBody> {
  const mangled = validBodies(pointer, type).chain(mangle);
  const schema = [...pointer, 'schema'];
  if (type !== 'application/json' && type !== 'application/x-www-form-urlencoded')
    return type === 'multipart/form-data' ? fc.oneof(mangled, nearForms(schema)) : mangled;
  const near = nearObjects(schema).map((value) => {
    const sent = type === 'application/json' ? value : asForm(value);
    const text = JSON.stringify(sent);
    const bytes = type === 'application/json' ? bytesOf(text) : urlEncoded(sent as JsonObject);
    // JSON escapes halves of surrogate pairs, and patterns cannot name them: texts with one may be refused.
    const isOpen = type === 'application/json' && /\\ud[89a-f]/.test(text);
    return { type, bytes, isAllowed: isOpen ? null : isValid(schema, sent) };
  });
  return fc.oneof({ weight: 3, arbitrary: near }, { weight: 1, arbitrary: mangled });
}

/** An object with one member off, one missing or one more; where none is asked for, another value. */
function nearObjects(schema: Pointer): Arbitrary<unknown> {
  const { pointer, value } = resolve([...schema]);
  const names = Object.keys((value.properties ?? {}) as object);
  if (names.length === 0) return nearValues(pointer);
  const objects = validValues(pointer) as Arbitrary<JsonObject>;
  const off = fc
    .constantFrom(...names)
    .chain((name) =>
      fc
        .tuple(objects, nearValues([...pointer, 'properties', name]))
        .map(([object, wrong]) => ({ ...withoutAlias(object, name), [name]: wrong })),
    );
  return fc.oneof(
    { weight: 4, arbitrary: off },
    { weight: 1, arbitrary: fc.tuple(objects, fc.constantFrom(...names)).map((pair) => without(...pair)) },
    {
      weight: 1,
      arbitrary: fc.tuple(objects, anyText()).map(([object, more]) => ({ ...object, [more]: more })),
    },
  );
}

const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

/** Other names of one parameter, of which only the first that is there is looked at. */
const ALIASES = [
  ['ns', 'namespace'],
  ['ttl', 'ttlDays', 'ttl_days'],
];

const withoutAlias = (object: JsonObject, name: string): JsonObject =>
  (ALIASES.find((names) => names.includes(name)) ?? [name]).reduce(without, object);

/** A body that did not arrive as it was meant. */
const mangle = ({ type, bytes }: PlannedBody): Arbitrary<JudgedBody> =>
  fc
    .oneof(
      fc.nat(Math.max(bytes.length - 1, 0)).map((end) => ({ type, bytes: bytes.slice(0, end) })),
      fc
        .uint8Array({ minLength: 1, maxLength: 8 })
        .map((more) => ({ type, bytes: Buffer.concat([bytes, more]) })),
      fc.tuple(fc.nat(bytes.length), fc.uint8Array({ minLength: 1, maxLength: 4 })).map(([at, odd]) => ({
        type,
        bytes: Buffer.concat([bytes.slice(0, at), odd, bytes.slice(at + odd.length)]),
      })),
      fc.uint8Array({ maxLength: 200 }).map((other) => ({ type, bytes: other })),
      fc.constantFrom(...ODD_JSON).map((text) => ({ type, bytes: bytesOf(text) })),
      fc.constantFrom(...ODD_TYPES).map((other) => ({ type: other, bytes })),
    )
    .map((body) => ({ ...body, isAllowed: null }));

const ODD_JSON = [
  ...['', ' ', 'null', '[]', '""', '{', '{"a":1,}', '{"a":1}{"a":2}', '\ufeff{}', 'NaN', '01', "{'a':1}"],
  ...['['.repeat(600), `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, '{"content":"a","content":"b"}'],
  ...['{"__proto__":{"ns":"x"}}', '{"key":"\\ud800","value":1}', '{"value":1e999}', '"\\u0000"'],
];

const ODD_TYPES = [
  ...[null, '', 'text', 'application/json;charset=utf-16', 'APPLICATION/JSON', 'text/html; charset=latin1'],
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/mixed; boundary=a', 'image/png'],
  ...['application/x-www-form-urlencoded', 'application/octet-stream', 'text/plain,text/html'],
];

const FILES: FormPart[] = [
  { name: '', filename: 'notes.md', type: 'text/markdown', content: '# Launch\n' },
  { name: '', filename: 'dot.png', type: 'image/png', content: PNG },
];

/** The parts of a form, its files among them. */
function validForms(schema: Pointer): Arbitrary<FormPart[]> {
  const properties = resolve([...schema]).value.properties as Record<string, JsonObject>;
  const isSite = Object.hasOwn(properties, 'archive');
  const files: Arbitrary<FormPart[]> = isSite
    ? fc.constantFrom(...['archive', 'file'].map((name) => [archiveAs(name)]), folder())
    : fc.constantFrom(...FILES).map((file) => [{ ...file, name: 'file' }]);
  const names = Object.keys(properties).filter((name) => !OF_FILES.has(name));
  const fields = fc.record(Object.fromEntries(names.map((name) => [name, formField(schema, name)])), {
    requiredKeys: [],
  });
  return fc.tuple(fields, files).map(([values, parts]) => [...fieldParts(values), ...parts]);
}

/** Parts that are files or belong to them. Of a file's own name the extension counts, which no schema says. */
const OF_FILES = new Set(['archive', 'file', 'files', 'paths', 'filename']);

const formField = (schema: Pointer, name: string): Arbitrary<string> =>
  validValues([...schema, 'properties', name]).map((value) => escapedBraces(String(value)));

const fieldParts = (values: Record<string, unknown>): FormPart[] =>
  Object.entries(values).map(([name, value]) => ({ name, content: String(value) }));

const archiveAs = (name: string): FormPart => ({
  name,
  filename: 'site.zip',
  type: 'application/zip',
  content: ZIP,
});

const folder = (): FormPart[] => [
  { name: 'files', filename: 'index.html', type: 'text/html', content: '<h1>Launch</h1>' },
  { name: 'files', filename: 'site.css', type: 'text/css', content: 'h1 { color: teal }' },
];

/** Forms with one field off, and forms with parts that are missing, twice or of odd names. */
function nearForms(schema: Pointer): Arbitrary<JudgedBody> {
  const { properties } = resolve([...schema]).value as { properties: Record<string, JsonObject> };
  const names = Object.keys(properties).filter((name) => !OF_FILES.has(name));
  const forms = validForms(schema);
  const asBody = (parts: FormPart[], isAllowed: boolean | null): JudgedBody => ({
    type: FORM_TYPE,
    bytes: encodeForm(parts),
    isAllowed,
  });
  const replaced = (name: string) =>
    fc.tuple(forms, nearValues([...schema, 'properties', name])).map(([parts, value]) => {
      const content = escapedBraces(typeof value === 'string' ? value : JSON.stringify(value));
      const others = parts.filter((part) => part.name !== name);
      return asBody([{ name, content }, ...others], isValid([...schema, 'properties', name], content));
    });
  const oddName = fc.tuple(forms, anyText(12), fc.boolean()).map(([parts, name, isFile]) => {
    const odd: FormPart = { name, content: name, ...(isFile ? { filename: name } : {}) };
    return asBody([odd, ...parts], null);
  });
  return fc.oneof(
    ...(names.length === 0 ? [] : [{ weight: 4, arbitrary: fc.constantFrom(...names).chain(replaced) }]),
    { weight: 1, arbitrary: oddName },
    { weight: 1, arbitrary: forms.map((parts) => asBody([...parts, ...parts], null)) },
    {
      weight: 1,
      arbitrary: forms.map((parts) =>
        asBody(
          parts.filter((part) => part.filename === undefined),
          false,
        ),
      ),
    },
  );
}

/** As a form sends it: all values are texts, and what is null is not sent. The password is that of the item. */
const asForm = (value: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries((value ?? {}) as JsonObject)
      .filter(([, one]) => one !== null)
      .map(([name, one]) => [name, name === 'password' ? '{password}' : String(one).toWellFormed()]),
  );

const urlEncoded = (fields: JsonObject): Uint8Array =>
  bytesOf(
    new URLSearchParams(fields as Record<string, string>).toString().replace('%7Bpassword%7D', '{password}'),
  );
