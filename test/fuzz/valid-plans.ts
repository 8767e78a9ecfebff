import fc, { type Arbitrary } from 'fast-check';
import { EXAMPLE_ADMIN_PASSWORD } from '../openapi/example-items.ts';
import { EXAMPLE_INDEXNOW_KEY } from '../openapi/example-requests.ts';
import type { PlacedOperation, PlacedParameter } from '../openapi/schemas.ts';
import { validBlocks, validBodies, validTakedowns } from './bodies.ts';
import { POOL_OWNER, type Wanted } from './item-pool.ts';
import { type Plan, queryPart } from './plan.ts';
import { validValues } from './schema-values.ts';

const ANY_ITEM = ['html', 'kv', 'json', 'file', 'site'] as const;
const NEED_OF_PATH: Array<[start: string, needs: readonly Wanted['need'][]]> = [
  ['/api/html/{ns}', ['html']],
  ['/api/kv/{ns}', ['kv']],
  ['/api/json/{ns}', ['json']],
  ['/api/files/{ns}', ['file']],
  ['/api/sites/{ns}', ['site']],
  ['/api/{ns}/{id}/domain', ['html with a domain']],
  ['/api/admin/reports/{id}', ['report']],
  ['/admin/reports/{id}', ['report']],
  ['/api/admin/blocklist/{id}', ['block']],
  ['/api/admin/blocked-content/{hash}', ['blocked content']],
  ['/{ns}/{id}/{sub}', ['kv', 'site']],
];

/** An item that an operation can succeed with; `null` where it is about none. */
function wantedItem(path: string): Arbitrary<Wanted | null> {
  const needs = NEED_OF_PATH.find(([start]) => path.startsWith(start))?.[1] ?? ANY_ITEM;
  if (!/\{(?:id|code|ownerId|hash)\}|^\/preview\//.test(path)) return fc.constant(null);
  return fc.record({
    need: fc.constantFrom(...needs),
    namespace: fc.constantFrom('public', 'fuzz-notes'),
    // Where there is nothing to open, no password is looked at; what is locked has no picture.
    locked: path.endsWith('/unlock')
      ? fc.constant(true)
      : path.startsWith('/preview/')
        ? fc.constant(false)
        : fc.boolean(),
    isGone: fc.constant(false),
  });
}

/** Requests that the document allows, by somebody who may make them. */
export function validPlans(placed: PlacedOperation): Arbitrary<Plan> {
  const { path, method, parameters } = placed;
  const chosen = parameters.filter((one) => isSentByItself(placed, one));
  const values = fc.tuple(...chosen.map((one) => fc.option(sentAs(placed, one), { freq: 2, nil: null })));
  return fc
    .record({
      wanted: wantedItem(path),
      values,
      body: bodies(placed),
      credentials: credentials(placed),
      accept,
    })
    .chain((made) => pathParts(path, made.wanted).map((parts) => ({ ...made, parts })))
    .map(({ wanted, values, body, credentials, accept, parts }) => {
      const sent = [...values.filter((value) => value !== null), ...credentials];
      return {
        template: path,
        method,
        wanted,
        parts,
        tail: '',
        body,
        change: null,
        expected: 'accepted',
        query: sent.flatMap(({ place, name, value }) => (place === 'query' ? [queryPart(name, value)] : [])),
        headers: [
          ['User-Agent', 'PerchFuzz/1.0'],
          ...sent.flatMap(({ place, name, value }): Plan['headers'] =>
            place === 'header' ? [[name, value]] : [],
          ),
          ...accept,
        ],
      };
    });
}

export interface SentValue {
  place: 'query' | 'header';
  name: string;
  value: string;
}

function sentAs(placed: PlacedOperation, one: PlacedParameter): Arbitrary<SentValue> {
  const { name, in: place } = one.parameter;
  return textsOf(placed, one).map((value) => ({
    place: place === 'query' ? 'query' : 'header',
    name,
    value,
  }));
}

/** Credentials come as a whole, and each path has its own parts. */
const NOT_BY_ITSELF = new Set(
  ['User-Agent', 'X-Owner-Token', 'token', 'X-Admin-Password', 'ticket'].map((name) => name.toLowerCase()),
);

/** Values that come from other requests, or from a list that no schema has. */
const KNOWN: Record<string, Arbitrary<string>> = {
  tz: fc.constantFrom(...Intl.supportedValuesOf('timeZone')),
  domain: fc.constantFrom('localhost', 'nobody.example'),
  entry: fc.constant('index.html'),
  wait: fc.constantFrom('0', '1'),
  'If-Match': fc.constantFrom('{etag}', '*'),
  'If-None-Match': fc.constantFrom('{etag}', '*', '"another"'),
  'If-Modified-Since': fc.constantFrom('Sat, 21 Nov 2026 07:20:21 GMT', 'Fri, 31 Dec 9999 23:59:59 GMT'),
  'If-Unmodified-Since': fc.constant('Fri, 31 Dec 9999 23:59:59 GMT'),
  'If-Range': fc.constantFrom('{etag}', '"another"'),
  from: fc.constantFrom('1970-01-02', '2026-11-21', '2026-11-21T07:20:21Z'),
  to: fc.constantFrom('2026-11-22', '2026-11-22T09:00:00.5+01:00', '9998-12-30'),
  'Idempotency-Key': fc.constant('{unique}'),
  Range: fc.constantFrom('bytes=0-3', 'bytes=2-', 'bytes=-4', 'bytes=0-0,2-3', 'bytes=90000-'),
};

function isSentByItself({ operation }: PlacedOperation, { parameter }: PlacedParameter): boolean {
  const { name, in: place } = parameter;
  const isCreate = Object.hasOwn(operation.responses, '201');
  const isPassword = (name === 'X-Password' || name === 'p') && !isCreate;
  // A cursor always points behind some item; of a write's conditions only one can be met for good.
  const isOfSome = name === 'cursor' || (name === 'If-None-Match' && operation.security.length === 2);
  return place !== 'path' && !NOT_BY_ITSELF.has(name.toLowerCase()) && !isPassword && !isOfSome;
}

function textsOf({ operation }: PlacedOperation, { parameter, pointer }: PlacedParameter): Arbitrary<string> {
  const isUploaded = operation.operationId === 'uploadFile' && parameter.name === 'filename';
  const known = isUploaded ? fc.constantFrom('launch.md', 'launch.txt') : KNOWN[parameter.name];
  if (known !== undefined) return known;
  return validValues([...pointer, 'schema']).map((value) =>
    (Array.isArray(value) ? value.join(',') : String(value)).trim(),
  );
}

/** Credentials that let a request in: each of the operation's security schemes at times. */
function credentials({ operation, parameters }: PlacedOperation): Arbitrary<SentValue[]> {
  const has = (name: string) => parameters.some(({ parameter }) => parameter.name === name);
  const isOwn = has('X-Owner-Token');
  const way = (place: SentValue['place'], name: string, value: string): SentValue[] => [
    { place, name, value },
  ];
  if (has('X-Admin-Password')) {
    const password = way('header', 'X-Admin-Password', EXAMPLE_ADMIN_PASSWORD);
    return fc.constant(has('token') ? [...password, ...way('query', 'token', POOL_OWNER)] : password);
  }
  if (!isOwn) return fc.constant([]);
  const token = [way('header', 'X-Owner-Token', POOL_OWNER), way('query', 'token', POOL_OWNER)];
  if (operation.security.some((one) => 'password' in one)) {
    const password = [way('header', 'X-Password', '{password}'), way('query', 'p', '{password}')];
    return fc.constantFrom(...token, ...password);
  }
  const isFree = operation.security.some((one) => Object.keys(one).length === 0);
  return fc.constantFrom(...token, ...(isFree ? [[]] : []));
}

const accept: Arbitrary<Plan['headers']> = fc.constantFrom<Plan['headers'][]>(
  [],
  [],
  [['Accept', 'application/json']],
  [['Accept', 'text/plain, application/json;q=0.5']],
  [['Accept', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8']],
  [
    ['Accept', 'text/html,*/*;q=0.8'],
    ['Sec-Fetch-Dest', 'document'],
    ['Sec-Fetch-Mode', 'navigate'],
  ],
  [['Accept-Encoding', 'gzip, br']],
);

/** Values of the path parameters that no item fills. */
function pathParts(path: string, wanted: Wanted | null): Arbitrary<Record<string, string>> {
  const files = fc.constantFrom('index.html', 'assets/site.css');
  if (path.endsWith('{filePath}')) return files.map((filePath) => ({ filePath }));
  if (path.endsWith('{sub}'))
    return wanted?.need === 'kv' ? fc.constant({ sub: 'greeting' }) : files.map((sub) => ({ sub }));
  if (path === '/admin/{section}') return fc.constantFrom('reports', 'audit').map((section) => ({ section }));
  if (path === '/{key}.txt') return fc.constant({ key: EXAMPLE_INDEXNOW_KEY });
  // Keys that begin with the change: the pool's own value is neither a number nor a list.
  if (path.endsWith('/increment')) return fc.constant({ key: 'fuzz-count' });
  if (path.endsWith('/append')) return fc.constant({ key: 'fuzz-list' });
  if (path === '/assets/{name}') return fc.constantFrom('perch.css', 'docs.js').map((name) => ({ name }));
  return fc.constant({});
}

/** A body of one of the types that the operation takes, or none where it may be left out. */
function bodies({ operation, pointer }: PlacedOperation): Arbitrary<Plan['body']> {
  const { requestBody, operationId } = operation;
  if (requestBody === undefined) return fc.constant(null);
  if (operationId === 'addBlock') return validBlocks;
  if (operationId === 'takeDownItems') return validTakedowns;
  const types = Object.keys(requestBody.content);
  const some = fc
    .constantFrom(...types)
    .chain((type) => validBodies([...pointer, 'requestBody', 'content', type], type));
  return requestBody.required ? some : fc.option(some);
}
