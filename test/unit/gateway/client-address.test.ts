import { describe, expect, test } from 'bun:test';
import { isIP, isIPv6 } from 'node:net';
import type { Server } from 'bun';
import fc from 'fast-check';
import { canonicalAddress, clientAddress } from '../../../services/gateway/http/client.ts';

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

describe('the canonical form of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['unknown', 'unknown'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::ffff:0:1', '0.0.0.1'],
    ['2001:DB8::A', '2001:db8::a'],
    ['2001:0db8:0000:0000:0001:0000:0000:0001', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['64:ff9b::192.0.2.1', '64:ff9b::c000:201'],
    ['::ffff:0:c000:201', '::ffff:0:c000:201'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::ffff:192.0.2.1%eth0', '192.0.2.1'],
    ['::ffff:0:192.0.2.1', '::ffff:0:c000:201'],
    ['::192.0.2.1', '::c000:201'],
    ['::ffff:0', '::ffff:0'],
    ['::0:0:0:0:0.0.0.0', '::'],
    ['::', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
  ])('of %s', (spelled, canonical) => {
    expect(canonicalAddress(spelled)).toBe(canonical);
    expect(canonicalAddress(canonical)).toBe(canonical);
  });

  test('is an address of the same family, or of IPv4, whatever passes for an address', () => {
    const groups = fc.array(
      fc.constantFrom('0', '00', 'ffff', 'AB', '1', '', '1.2.3.4', '1.02.3.4', '%', '%a%b'),
      {
        maxLength: 9,
      },
    );
    const spelled = fc.oneof(
      fc.ipV6(),
      groups.map((parts) => parts.join(':')),
      groups.map((parts) => `::${parts.join(':')}`),
      groups.map((parts) => `::ffff:${parts.join('')}`),
    );
    fc.assert(
      fc.property(spelled, (address) => {
        fc.pre(isIPv6(address));
        const canonical = canonicalAddress(address);
        expect(isIP(canonical)).not.toBe(0);
        expect(canonicalAddress(canonical)).toBe(canonical);
        expect(canonicalAddress(address.toUpperCase())).toBe(canonical);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is what the socket and the header give', () => {
    const mapped = { requestIP: () => ({ address: '::ffff:10.0.0.9' }) } as unknown as Server<unknown>;
    expect(clientAddress(new Request('http://localhost/'), mapped, 0)).toBe('10.0.0.9');
    expect(addressOf('2001:DB8:0::7', 1)).toBe('2001:db8::7');
    expect(addressOf('[::ffff:1.2.3.4]:443', 1)).toBe('1.2.3.4');
  });
});
