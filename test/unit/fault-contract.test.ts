import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Contract, loadContract } from '../../infra/load/contract.ts';
import type { Seen } from '../../infra/load/send.ts';
import { DOCUMENT } from '../openapi/schemas.ts';

let server: Bun.Server<unknown>;
let contract: Contract;
beforeAll(async () => {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.json(DOCUMENT),
  });
  contract = await loadContract(`http://127.0.0.1:${server.port}`);
});
afterAll(() => server?.stop(true));

const faultOf = (status: number, code: string | null, retryAfter: string | null = null): string | null => {
  const text = code === null ? '<html>' : JSON.stringify({ code });
  const seen: Seen = { answered: true, status, retryAfter, headers: new Headers(), text };
  return contract.faultOf({ method: 'PUT', template: '/api/kv/{ns}/{id}/{key}' }, seen);
};

test('documented errors are none of the faults', () => {
  expect(faultOf(200, null)).toBeNull();
  expect(faultOf(404, 'NOT_FOUND')).toBeNull();
  expect(faultOf(503, 'UNAVAILABLE', '2')).toBeNull();
  expect(faultOf(504, 'TIMEOUT', '2')).toBeNull();
});

test('all others are', () => {
  expect(faultOf(418, 'NOT_FOUND')).toContain('the status is not documented');
  expect(faultOf(404, 'TEAPOT')).toContain('the code is not documented');
  expect(faultOf(502, null)).toContain('the status is not documented');
  expect(faultOf(404, null)).toContain('the code is not documented');
  expect(faultOf(503, 'UNAVAILABLE')).toContain('without Retry-After');
  expect(faultOf(500, 'INTERNAL')).toContain('500 INTERNAL');
});
