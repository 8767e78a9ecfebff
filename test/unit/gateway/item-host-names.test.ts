import { expect, test } from 'bun:test';
import { createItemHosts } from '../../../services/gateway/http/hosts.ts';

const LABEL = 'abcdefghijklmnopqrstuvwxyz';
const hosts = createItemHosts({ byDefault: true, domain: { scheme: 'https', host: 'items.example' } });

const hostOf = (host: string) =>
  hosts.hostOf({
    baseUrl: 'https://perch.example',
    request: new Request('http://localhost/', { headers: { Host: host } }),
  });

test.each([
  [`${LABEL}.items.example`, LABEL],
  [`${LABEL}.items.example:8443`, LABEL],
  [`${LABEL}.ITEMS.example.`, LABEL],
  ['items.example', ''],
  ['other.items.example', 'other'],
])('%s is a name of items', (host, label) => expect(hostOf(host)).toMatchObject({ by: 'label', label }));

test.each([
  `${LABEL}.xitems.example`,
  'xitems.example',
  `${LABEL}.items.example.org`,
  'perch.example',
  LABEL,
])('%s is none', (host) => expect(hostOf(host)).toBeNull());

test('an origin is an item’s by its host, and no other', () => {
  expect(hosts.isItemOrigin(`https://${LABEL}.items.example`)).toBe(true);
  for (const origin of [
    'https://items.example',
    `https://${LABEL}.xitems.example`,
    'null',
    'https://perch.example',
  ])
    expect(hosts.isItemOrigin(origin)).toBe(false);
});
