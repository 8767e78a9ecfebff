import { expect, test } from 'bun:test';
import { requireAllowedOrigin } from '../../../services/gateway/features/mcp/endpoint.ts';

const isAllowed = (headers: Record<string, string>, baseUrl: string | null): boolean => {
  try {
    requireAllowedOrigin(new Request('http://localhost/mcp', { method: 'POST', headers }), baseUrl);
    return true;
  } catch {
    return false;
  }
};

test('programs, which send no Origin, are let through', () => {
  expect(isAllowed({ host: 'perch.example' }, 'https://perch.example')).toBe(true);
  expect(isAllowed({ host: 'anything.example' }, null)).toBe(true);
});

test('with BASE_URL, pages of its origin are let through, whichever host the request names', () => {
  const base = 'https://perch.example';
  expect(isAllowed({ origin: base, host: 'perch.example' }, base)).toBe(true);
  expect(isAllowed({ origin: base, host: 'inner:8080' }, base)).toBe(true);
  for (const origin of [
    'http://perch.example',
    'https://perch.example:8443',
    'https://x.perch.example',
    'null',
    '',
  ])
    expect([origin, isAllowed({ origin, host: 'perch.example' }, base)]).toEqual([origin, false]);
});

test('without it, a page is let through on an address that no name can be made to lead to', () => {
  for (const host of ['localhost:8080', '127.0.0.1:8080', '192.168.1.7', '[::1]:8080'])
    expect([host, isAllowed({ origin: `http://${host}`, host }, null)]).toEqual([host, true]);
  for (const host of ['localhost:80', 'LocalHost', 'localhost.'])
    expect([host, isAllowed({ origin: 'http://localhost', host }, null)]).toEqual([host, true]);
  for (const host of ['rebound.example:8080', 'localhost.example', 'perch.lan'])
    expect([host, isAllowed({ origin: `http://${host}`, host }, null)]).toEqual([host, false]);
  expect(isAllowed({ origin: 'http://localhost:3000', host: 'localhost:8080' }, null)).toBe(false);
  expect(isAllowed({ origin: 'http://127.0.0.1:8080', host: 'localhost:8080' }, null)).toBe(false);
});
