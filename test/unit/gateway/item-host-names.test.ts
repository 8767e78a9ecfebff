import { expect, test } from 'bun:test';
import { createItemHosts } from '../../../services/gateway/http/hosts.ts';
import { refuseHostedPage } from '../../../services/gateway/http/own-page.ts';
import { contextWith } from './request-context.ts';

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

test.each([`${LABEL}.localhost:8080`, `${LABEL}.LocalHost`, `${LABEL}.localhost.:8080`])(
  'at localhost %s is a name of items, which has the origin that the browser sees',
  (host) => {
    const local = createItemHosts({ byDefault: false, domain: null });
    const request = new Request('http://localhost/', { headers: { Host: host } });
    const origin = `http://${host.toLowerCase()}`;
    expect(local.hostOf({ baseUrl: origin, request })).toEqual({ by: 'label', label: LABEL, origin });
    expect(local.originOf({ baseUrl: origin.replace(`${LABEL}.`, '') }, LABEL)).toBe(origin);
    expect(local.isItemOrigin(origin)).toBe(true);
  },
);

test('an origin is an item’s by its host, and no other', () => {
  for (const end of ['', '.', ':8443', '.:8443'])
    expect(hosts.isItemOrigin(`https://${LABEL}.items.example${end}`)).toBe(true);
  for (const origin of [
    'https://items.example',
    `https://${LABEL}.xitems.example`,
    'null',
    'https://perch.example',
  ])
    expect(hosts.isItemOrigin(origin)).toBe(false);
});

test.each([
  ['null', true],
  ['https://content.example', true],
  ['https://content.example.', true],
  [`https://${LABEL}.items.example`, true],
  ['https://perch.example', false],
  ['https://elsewhere.example', false],
])('a page with the origin %s is a hosted one: %p', (Origin, isHosted) => {
  const refuse = () => refuseHostedPage(contextWith(null, { Origin }), 'https://content.example', hosts);
  if (isHosted) expect(refuse).toThrow(expect.objectContaining({ code: 'CROSS_SITE_FORBIDDEN' }));
  else expect(refuse).not.toThrow();
});
