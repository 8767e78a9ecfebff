import { expect, test } from 'bun:test';
import { clientKey, networkOf } from '../../../services/gateway/http/client.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['1::', '1:0:0:0::/64'],
  ['unknown', 'unknown'],
])('%s counts as %s', (address, key) => {
  expect(clientKey(address)).toBe(key);
});

test.each([
  ['203.0.113.7', null],
  ['unknown', null],
  ['2001:db8:1:2::/64', '2001:db8:1::/48'],
  ['0:0:0:0::/64', '0:0:0::/48'],
])('%s is in the network %p', (key, network) => {
  expect(networkOf(key)).toBe(network);
});
