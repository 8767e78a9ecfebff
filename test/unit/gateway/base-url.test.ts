import { expect, test } from 'bun:test';
import { baseUrlOf } from '../../../services/gateway/http/hosts.ts';

const of = (headers: Record<string, string>, trustProxy = 0, baseUrl: string | null = null) =>
  baseUrlOf({ headers: new Headers(headers) }, { baseUrl, trustProxy, port: 8080 });

test.each<[host: string, base: string]>([
  ['perch.lan', 'http://perch.lan'],
  ['PERCH.lan:81', 'http://perch.lan:81'],
  ['my_host', 'http://my_host'],
  ['10.0.0.7:8080', 'http://10.0.0.7:8080'],
  ['[fd00::7]:8080', 'http://[fd00::7]:8080'],
  ['', 'http://localhost:8080'],
  ['user@host', 'http://localhost:8080'],
  ['host/path', 'http://localhost:8080'],
  ['host:port', 'http://localhost:8080'],
  ['a"b', 'http://localhost:8080'],
  ['<script>', 'http://localhost:8080'],
  ['x'.repeat(254), 'http://localhost:8080'],
])('Host %p is %s', (host, base) => {
  expect(of({ host })).toBe(base);
});

test('forwarded headers count as far as proxies are trusted', () => {
  const headers = { host: 'inner', 'x-forwarded-host': 'a, b, c', 'x-forwarded-proto': 'http, HTTPS' };
  expect(of(headers)).toBe('http://inner');
  expect(of(headers, 1)).toBe('https://c');
  expect(of(headers, 2)).toBe('http://b');
  expect(of(headers, 9)).toBe('http://a');
});

test('BASE_URL wins over all of them', () => {
  expect(of({ host: 'inner', 'x-forwarded-host': 'outer' }, 1, 'https://perch.example')).toBe(
    'https://perch.example',
  );
});
