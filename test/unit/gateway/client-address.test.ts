import { describe, expect, test } from 'bun:test';
import type { Server } from 'bun';
import { clientAddress } from '../../../services/gateway/http/client-address.ts';

const SOCKET = '10.0.0.9';
const server = { requestIP: () => ({ address: SOCKET }) } as unknown as Server<unknown>;

const addressOf = (forwarded: string | null, trustProxy: number): string => {
  const headers = forwarded === null ? {} : { 'X-Forwarded-For': forwarded };
  return clientAddress(new Request('http://localhost/', { headers }), server, trustProxy);
};

describe('the client address', () => {
  test.each([
    ['the header without a trusted proxy', '1.2.3.4', 0, SOCKET],
    ['no header behind a proxy', null, 1, SOCKET],
    ['what the one proxy saw', '6.6.6.6, 1.2.3.4', 1, '1.2.3.4'],
    ['what the outer of two proxies saw', '6.6.6.6, 1.2.3.4, 10.0.0.1', 2, '1.2.3.4'],
    ['fewer entries than proxies', '1.2.3.4', 2, SOCKET],
    ['an entry that is no address', 'unknown', 1, SOCKET],
    ['an IPv4 address with a port', '1.2.3.4:5678', 1, '1.2.3.4'],
    ['an IPv6 address', '2001:db8::7', 1, '2001:db8::7'],
    ['an IPv6 address with a port', '[2001:db8::7]:443', 1, '2001:db8::7'],
    ['an entry out of range', '1.2.3.400', 1, SOCKET],
  ] as const)('%s', (_, forwarded, trustProxy, expected) => {
    expect(addressOf(forwarded, trustProxy)).toBe(expected);
  });
});
