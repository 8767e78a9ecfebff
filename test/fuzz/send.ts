import { toHeaderText } from '../../services/gateway/http/text.ts';
import type { ExchangeRecord } from '../openapi/validator.ts';
import { type ItemPool, POOL_PASSWORD, type PooledItem } from './item-pool.ts';
import type { Plan } from './plan.ts';

/** A plan with everything filled in. */
export interface ReadyRequest {
  url: string;
  method: string;
  /** Values as bytes, each a character of Latin-1. */
  headers: Array<[name: string, value: string]>;
  body: Uint8Array | null;
}

const AGENT = { 'User-Agent': 'PerchFuzz/1.0' };

/** Fills a plan in for a running Perch. `client` is the address it seems to come from. */
export async function prepare(
  baseUrl: string,
  plan: Plan,
  pool: ItemPool,
  client: string,
): Promise<ReadyRequest> {
  const item = plan.wanted === null ? null : await pool.get(plan.wanted);
  const path = plan.template.replace(/\{(\w+)\}/g, (_, name: string) => {
    return plan.parts[name] ?? encodeURIComponent(item?.path[name] ?? 'nothing');
  });
  const address = `${baseUrl}${path}${plan.tail}`;
  const values: Record<string, string> = {
    password: POOL_PASSWORD,
    unique: crypto.randomUUID(),
    ...item?.values,
  };
  if (JSON.stringify([plan.query, plan.headers]).includes('{etag}'))
    values.etag = await etagAt(address, item);
  const fill = (text: string, encode: (value: string) => string): string =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : encode(value);
    });
  const query = plan.query.map((part) => fill(part, encodeURIComponent)).join('&');
  const type = plan.body?.type ?? null;
  return {
    url: query === '' ? address : `${address}?${query}`,
    method: plan.method,
    headers: [
      ...plan.headers.map(([name, value]): [string, string] => [name, toHeaderText(fill(value, String))]),
      ...(type === null ? [] : [['Content-Type', type] as [string, string]]),
      ['X-Forwarded-For', client],
    ],
    body:
      plan.body === null
        ? null
        : Buffer.from(fill(Buffer.from(plan.body.bytes).toString('latin1'), String), 'latin1'),
  };
}

/** The tag of what is at an address; of what is not there, one that no version has. */
async function etagAt(address: string, item: PooledItem | null): Promise<string> {
  const token = item?.values.ownerToken;
  const headers = token === undefined ? AGENT : { ...AGENT, 'X-Owner-Token': token };
  const response = await fetch(address, { headers });
  await response.body?.cancel();
  return response.headers.get('etag') ?? '"none"';
}

/** Sends a request, following nothing and decompressing nothing that the answer does not say. */
export async function send({ url, method, headers, body }: ReadyRequest): Promise<ExchangeRecord> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(body === null ? {} : { body }),
  });
  const bytes = await response.bytes();
  return {
    method,
    path: new URL(url).pathname,
    status: response.status,
    headers: response.headers,
    body: bytes,
  };
}

/** Text that a shell's UTF-8 makes the bytes of. */
const asSent = (latin1: string): string => Buffer.from(latin1, 'latin1').toString();

/** A line for a shell that sends a request again. Items of another run have other addresses. */
export function curlLine({ url, method, headers, body }: ReadyRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const lines = headers.map(
    ([name, value]) => ` -H ${quoted(value === '' ? `${name};` : `${name}: ${asSent(value)}`)}`,
  );
  const verb = method === 'HEAD' ? ' --head' : ` -X ${method}`;
  const command = `curl -si --path-as-is -g${verb}${lines.join('')}`;
  if (body === null) return `${command} ${quoted(url)}`;
  const data = `echo ${Buffer.from(body).toString('base64')} | base64 -d`;
  return `${data} | ${command} --data-binary @- ${quoted(url)}`;
}
