import { routeOf } from './routes.ts';
import { faultsAt, resolve } from './schemas.ts';

/** A request that was made, and what came back. */
export interface ExchangeRecord {
  method: string;
  /** With or without its query. */
  path: string;
  status: number;
  headers: Headers;
  /** `null` where it is not known, such as after a HEAD or a broken connection. */
  body: Uint8Array | string | null;
}

/** Headers of HTTP itself, and those that Bun adds; nobody has to document them. */
const TRANSPORT = new Set([
  ...['date', 'connection', 'keep-alive', 'content-length', 'content-type', 'transfer-encoding'],
]);

/** The deviation of a request and its answer from the OpenAPI document; `null` when both are as documented. */
export function validateExchange(exchange: ExchangeRecord): string | null {
  const { method, path, status } = exchange;
  const response = responseFor(exchange);
  const faults = typeof response === 'string' ? [response] : faultsOf(exchange, response);
  if (faults.length === 0) return null;
  return `${method} ${path} answered ${status} against its documentation:\n  ${faults.join('\n  ')}`;
}

/** The place of the documented response, or what is wrong with there being one. */
function responseFor({ method, path, status }: ExchangeRecord): string[] | string {
  const [address = ''] = path.split('?');
  const route = routeOf(address, method);
  if (method === 'OPTIONS' && status === 204) return ['components', 'responses', 'Options'];
  if (status === 400 && route === null) return ['components', 'responses', 'BadRequest'];
  if (route === null) {
    return status === 404 ? ['components', 'responses', 'UnknownAddress'] : 'the address is not documented';
  }
  const { template, item } = route;
  const verb = method === 'HEAD' ? 'get' : method.toLowerCase();
  const operation = Object.entries(item).find(([name]) => name === verb)?.[1];
  if (operation === undefined) {
    if (status === 405) return ['components', 'responses', 'MethodNotAllowed'];
    return status === 400 ? ['components', 'responses', 'BadRequest'] : 'the method is not documented';
  }
  if (operation.responses[status] === undefined) return 'the status is not documented';
  return ['paths', template, verb, 'responses', String(status)];
}

function faultsOf(exchange: ExchangeRecord, place: string[]): string[] {
  const { pointer, value } = resolve(place);
  return [...headerFaults(exchange, pointer, value), ...bodyFaults(exchange, pointer, value)];
}

function headerFaults({ headers }: ExchangeRecord, pointer: string[], response: object): string[] {
  const documented = Object.keys((response as { headers?: object }).headers ?? {});
  const known = new Set(documented.map((name) => name.toLowerCase()));
  const unknown = [...headers.keys()].filter((name) => !known.has(name) && !TRANSPORT.has(name));
  return [
    ...unknown.map((name) => `header ${name} is not documented`),
    ...documented.flatMap((name) => {
      const header = resolve([...pointer, 'headers', name]);
      const text = headers.get(name);
      if (text === null) return header.value.required === true ? [`header ${name} is missing`] : [];
      const { type } = header.value.schema as { type?: string };
      const value = type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
      const fault = faultsAt([...header.pointer, 'schema'], value);
      return fault === null ? [] : [`header ${name}: ${text}: ${fault}`];
    }),
  ];
}

function bodyFaults(
  { method, headers, body }: ExchangeRecord,
  pointer: string[],
  response: object,
): string[] {
  const { content } = response as { content?: object };
  const empty = body === null || body.length === 0;
  if (content === undefined) return empty ? [] : ['there is a body'];
  if (method === 'HEAD') return empty ? [] : ['there is a body'];
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const range = [type, type.replace(/\/.*/, '/*'), '*/*'].find((name) => Object.hasOwn(content, name));
  if (range === undefined) return [`content type "${type}" is not documented`];
  const stored = resolve([...pointer, 'content', range]).value['x-stored-bytes'] === true;
  if (body === null || stored || (!type.startsWith('text/') && type !== 'application/json')) return [];
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const place = [...pointer, 'content', range, 'schema'];
  try {
    const fault = faultsAt(place, type === 'application/json' ? JSON.parse(text) : text);
    return fault === null ? [] : [`${fault}\n  in ${text.slice(0, 1000)}`];
  } catch (error) {
    return [`the body is not JSON: ${error}`];
  }
}
