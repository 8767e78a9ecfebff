import { expect, test } from 'bun:test';
import { Perch } from 'perch-client';
import { usePerch } from '../acceptance/support/perch.ts';

const itemHosts = usePerch({ env: { CONTENT_BASE_URL: 'http://*.items.test' } });
const uploadHost = usePerch({ env: { CONTENT_BASE_URL: 'http://uploads.test' } });

/** Hosts that were asked, each with the names of secrets that came along. */
let asked: string[] = [];

/** A client that finds hosts which no name server knows at the server that they are on. */
function clientOf(url: string): Perch {
  const toServer = (input: string, init: RequestInit): Promise<Response> => {
    const { host, pathname, search } = new URL(input);
    const headers = new Headers(init.headers);
    const secrets = ['X-Owner-Token', 'X-Password'].filter((name) => headers.has(name));
    asked.push([host.replace(/^[a-z0-9]{26}\./, ''), ...secrets].join(' '));
    headers.set('Host', host);
    return fetch(url + pathname + search, { ...init, headers });
  };
  return new Perch({ url, fetch: toServer });
}

test.each([
  ['a host of its own', itemHosts, 'items.test', false],
  ['the host of uploads', uploadHost, 'uploads.test', true],
])(
  'a value on %s is read, of a protected store as well, and no secrets go there',
  async (_, served, host, asksApi) => {
    const perch = clientOf(served.url);
    const open = await perch.kv.create('key', { a: 1 });
    const closed = await perch.kv.create('key', 'closed', { password: 'sesame' });
    const own = new URL(served.url).host;
    asked = [];
    expect(await perch.kv.getText(open, 'key')).toBe('{"a":1}');
    expect(asked).toEqual([`${own} X-Owner-Token`, host]);
    asked = [];
    const { namespace, id } = closed;
    expect(await perch.kv.getText({ namespace, id }, 'key', { password: 'sesame' })).toBe('closed');
    expect(await perch.kv.getText(closed, 'key')).toBe('closed');
    const byApi = (secret: string) => (asksApi ? [`${own} ${secret}`] : []);
    expect(asked).toEqual([
      ...[`${own} X-Password`, host, ...byApi('X-Password')],
      ...[`${own} X-Owner-Token`, host, ...byApi('X-Owner-Token')],
    ]);
  },
);
