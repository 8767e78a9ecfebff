import fc, { type Arbitrary } from 'fast-check';
import { type PlacedOperation, type PlacedParameter, typedValue } from '../openapi/schemas.ts';
import { nearBodies } from './bodies.ts';
import { type Plan, queryPart } from './plan.ts';
import { anyText, isValid, nearValues } from './schema-values.ts';
import { validPlans } from './valid-plans.ts';

/** Requests that differ in one thing from those that the document allows. */
export function nearPlans(placed: PlacedOperation): Arbitrary<Plan> {
  const judged = placed.parameters.filter((one) => isJudged(placed, one));
  const ways = [
    ...(judged.length === 0
      ? []
      : [{ weight: 6, arbitrary: fc.constantFrom(...judged).chain((one) => parameterOff(placed, one)) }]),
    ...(placed.operation.requestBody === undefined ? [] : [{ weight: 6, arbitrary: bodyOff(placed) }]),
    ...(/\{/.test(placed.path) ? [{ weight: 3, arbitrary: pathOff(placed) }] : []),
    { weight: 2, arbitrary: credentialsOff },
    { weight: 2, arbitrary: queryOff },
    { weight: 2, arbitrary: headersOff },
    { weight: 1, arbitrary: methodOff },
  ];
  return fc.tuple(validPlans(placed), fc.oneof(...ways)).map(([plan, change]) => change(plan));
}

type Change = (plan: Plan) => Plan;

/** Of these a schema says what is refused, but not what is taken: that depends on other parameters and requests. */
const PARTLY_JUDGED = new Set([
  ...['token', 'ticket', 'entry', 'tz', 'cursor', 'from', 'to', 'Idempotency-Key'],
]);

/** Of these bodies likewise: which networks there are, no schema says. */
const PARTLY_JUDGED_BODIES = new Set(['addBlock', 'takeDownItems']);

/** A condition that does not hold, or a credential that is not asked for, is no fault. */
function isJudged(
  { operation }: PlacedOperation,
  { parameter: { name, in: place } }: PlacedParameter,
): boolean {
  const isCreate = Object.hasOwn(operation.responses, '201') && operation.security.length > 0;
  if (place === 'header') return isCreate && name !== 'User-Agent' && name !== 'X-Admin-Password';
  return place === 'query';
}

function parameterOff({ operation }: PlacedOperation, placed: PlacedParameter): Arbitrary<Change> {
  const { pointer, parameter } = placed;
  const { name, in: place } = parameter;
  const isQuery = place === 'query';
  // Which extensions a file may have, its operation says in words.
  const isPartly = PARTLY_JUDGED.has(name) || (operation.operationId === 'uploadFile' && name === 'filename');
  return nearValues([...pointer, 'schema'])
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed())
    .filter((text) => isQuery || !/\p{Cc}/u.test(text))
    .map((text) => (plan) => {
      const value = isQuery ? text : text.trim();
      const allowed = isValid([...pointer, 'schema'], typedValue(value, parameter));
      // White space around a value is passed over, and a blank one counts as left out; a header wins over `p`.
      const isOpen = value.trim() !== value || value === '' || name === 'p';
      // Files of a site are not waited for.
      const isIdle = name === 'wait' && plan.wanted?.need === 'site';
      const expected =
        isOpen || isIdle || (allowed && isPartly) ? 'any' : allowed ? plan.expected : 'refused';
      const query = plan.query.filter((part) => !part.startsWith(`${name}=`));
      const headers = plan.headers.filter(([known]) => known !== name);
      const change = `${place} ${name} is ${JSON.stringify(value.slice(0, 80))}`;
      if (isQuery) return { ...plan, query: [...query, queryPart(name, value)], change, expected };
      return { ...plan, headers: [...headers, [name, value]], change, expected };
    });
}

function bodyOff({ operation, pointer }: PlacedOperation): Arbitrary<Change> {
  return fc
    .constantFrom(...Object.keys(operation.requestBody?.content ?? {}))
    .chain((type) => nearBodies([...pointer, 'requestBody', 'content', type], type))
    .map(({ isAllowed, ...body }) => (plan) => {
      const isOpen = isAllowed === null || (isAllowed && PARTLY_JUDGED_BODIES.has(operation.operationId));
      const expected = isOpen ? 'any' : isAllowed ? plan.expected : 'refused';
      // Of a parameter that also comes in the query or a header the body's is passed over.
      const query = plan.query.filter((part) => part.startsWith('token='));
      const headers = plan.headers.filter(([name]) => name !== 'X-Password');
      return { ...plan, query, headers, body, change: `body of ${body.type}`, expected };
    });
}

/** Another item than there is, or an address that is written in another way. */
function pathOff({ path, parameters }: PlacedOperation): Arbitrary<Change> {
  const names = parameters.flatMap(({ parameter }) => (parameter.in === 'path' ? [parameter.name] : []));
  const odd = fc.oneof(
    fc.constantFrom(
      ...[
        'nothing',
        'public',
        'a%2Fb',
        '%00',
        '%ff',
        '%',
        '%zz',
        '..%2f',
        '%2e%2e',
        'é',
        '-',
        '.',
        'a'.repeat(300),
      ],
    ),
    anyText(12).map((text) => encodeURIComponent(text.toWellFormed())),
  );
  const part = fc.tuple(fc.constantFrom(...names), odd).map(
    ([name, value]): Change =>
      (plan) => ({
        ...plan,
        parts: { ...plan.parts, [name]: value },
        change: `{${name}} is ${value}`,
        expected: 'any',
      }),
  );
  const tail = fc.constantFrom('/', '//', '/x', '%20', ';a', '.').map(
    (tail): Change =>
      (plan) => ({ ...plan, tail, change: `${tail} behind the path`, expected: 'any' }),
  );
  const gone: Change = (plan) => ({
    ...plan,
    wanted: plan.wanted === null ? null : { ...plan.wanted, isGone: true },
    change: 'removed item',
    expected: 'any',
  });
  return path.includes('{id}') ? fc.oneof(part, tail, fc.constant(gone)) : fc.oneof(part, tail);
}

const SECRETS = /^(?:X-Owner-Token|X-Password|X-Admin-Password|token|p)$/;

const credentialsOff: Arbitrary<Change> = fc
  .constantFrom(null, '', ' ', 'wrong', 'own_wrong_0123456789abcdefghijklmnopqrstuvw', 'é', 'x'.repeat(600))
  .map((secret) => (plan) => {
    const replaced = (name: string) => (secret === null ? [] : [name]);
    return {
      ...plan,
      query: plan.query.flatMap((part) => {
        const [name = ''] = part.split('=');
        return SECRETS.test(name) ? replaced(name).map(() => queryPart(name, secret ?? '')) : [part];
      }),
      headers: plan.headers.flatMap(([name, value]): Plan['headers'] =>
        SECRETS.test(name) ? replaced(name).map(() => [name, secret ?? '']) : [[name, value]],
      ),
      change: `credentials: ${JSON.stringify(secret?.slice(0, 40))}`,
      expected: 'any',
    };
  });

/** Parameters that are not known, come twice, or are encoded in odd ways. */
const queryOff: Arbitrary<Change> = fc
  .oneof(
    fc.constantFrom(
      '=',
      '&&',
      '%',
      '%zz=1',
      'a=%ff%fe',
      '%00=%00',
      'ns[]=a',
      'ns=public&ns=fuzz',
      '+',
      'x;y=z',
      '__proto__=1',
    ),
    fc.tuple(anyText(8), anyText(12)).map(([name, value]) => queryPart(name, value)),
    fc.constant(null),
  )
  .map((odd) => (plan) => ({
    ...plan,
    query: odd === null ? [...plan.query, ...plan.query] : [...plan.query, odd],
    change: odd === null ? 'each parameter twice' : `query ${odd}`,
    expected: 'any',
  }));

const ODD_HEADERS: Plan['headers'] = [
  ...(['bytes=', 'bytes=5-1', 'bytes=-0', 'bytes=a-b', 'items=0-1', 'bytes=0-0,0-0,0-0'] as const).map(
    (value): [string, string] => ['Range', value],
  ),
  ...(['*', '"', 'W/"x"', '""', '"a", "b"', 'é', '"'.repeat(300)] as const).flatMap(
    (value): Plan['headers'] => [
      ['If-None-Match', value],
      ['If-Match', value],
      ['If-Range', value],
    ],
  ),
  ['If-Modified-Since', 'yesterday'],
  ['If-Modified-Since', 'Sun, 31 Feb 2100 00:00:00 GMT'],
  ['If-Unmodified-Since', 'yesterday'],
  ['If-Unmodified-Since', 'Sat, 21 Nov 1998 07:20:21 GMT'],
  ['If-Range', 'Sat, 21 Nov 2026 07:20:21 GMT'],
  ['Accept', 'image/*;q=2, ,;;'],
  ['Accept', '*'],
  ['Accept-Encoding', 'gzip;q=0, identity;q=0'],
  ['Cookie', 'perch_unlock=1.x; perch_unlock=; =; a'],
  ['Origin', 'null'],
  ['Origin', 'https://elsewhere.example'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Referer', 'https://elsewhere.example/?token=x'],
  ['Idempotency-Key', 'short'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['Service-Worker', 'script'],
  ['Content-Encoding', 'gzip'],
  ['User-Agent', ''],
  ['User-Agent', 'é\u0080'],
];

const headersOff: Arbitrary<Change> = fc.constantFrom(...ODD_HEADERS).map(([name, value]) => (plan) => ({
  ...plan,
  headers: [...plan.headers.filter(([known]) => known !== name), [name, value]],
  change: `header ${name} is ${value.slice(0, 40)}`,
  expected: 'any',
}));

const methodOff: Arbitrary<Change> = fc
  .constantFrom('HEAD', 'HEAD', 'OPTIONS', 'GET', 'POST', 'PUT', 'PATCH', 'DELETE')
  .map((method) => (plan) => ({
    ...plan,
    method,
    change: `method ${method}`,
    expected: 'any',
    body: ['GET', 'HEAD', 'OPTIONS'].includes(method) ? null : plan.body,
  }));
