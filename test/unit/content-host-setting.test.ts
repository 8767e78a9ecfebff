import { expect, test } from 'bun:test';
import { loadConfig } from '../../shared/config.ts';

const start = (base: string, content: string, allowed?: string) =>
  loadConfig({ BASE_URL: base, CONTENT_BASE_URL: content, ALLOW_RELATED_CONTENT_HOST: allowed });

test.each([
  ['https://perch.example.org', 'https://content.perch.example.org'],
  ['https://perch.example.org', 'https://content.example.org'],
  ['https://content.example.org', 'https://example.org'],
  ['https://perch.example.co.uk', 'https://pages.example.co.uk'],
  ['https://one.perch.github.io', 'https://two.perch.github.io'],
  ['http://perch.localhost', 'http://content.perch.localhost'],
  ['http://perch.localhost:8080', 'http://perch.localhost:8081'],
  ['http://localhost:8080', 'http://localhost:8081'],
  ['http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
  ['http://[::1]:8080', 'http://[::1]:8081'],
  ['https://PERCH.example.org', 'https://content.perch.example.org.'],
  ['https://perch.bücher.example', 'https://content.xn--bcher-kva.example'],
  ['https://perch.example.org', 'https://*.content.example.org'],
])('%s and %s are too close, unless that is meant', (base, content) => {
  expect(() => start(base, content)).toThrow('another registrable domain than BASE_URL');
  expect(() => start(base, content, 'false')).toThrow('ALLOW_RELATED_CONTENT_HOST=true');
  expect(() => start(base, content, 'true')).not.toThrow();
});

test.each([
  ['https://perch.example.org', 'https://perch-content.net'],
  ['https://perch.co.uk', 'https://pages.co.uk'],
  ['https://perch.github.io', 'https://pages.github.io'],
  ['http://perch.localhost', 'http://content-perch.localhost'],
  ['http://localhost:8080', 'http://content.localhost:8080'],
  ['http://127.0.0.1:8080', 'http://localhost:8080'],
  ['http://10.0.0.1', 'http://10.0.0.2'],
  ['http://perch', 'http://content'],
  ['https://perch.example.org', 'https://*.perch-content.net'],
  ['https://perch.example.org', 'https://*.pages.example.net'],
  ['http://localhost:8080', 'http://*.localhost:8080'],
  ['http://perch.localhost', 'http://*.localhost'],
])('%s and %s are not related', (base, content) => {
  expect(() => start(base, content)).not.toThrow();
});

test('one host twice is refused, whatever is meant', () => {
  expect(() => start('https://perch.example.org', 'http://perch.example.org:443')).toThrow(
    'CONTENT_BASE_URL',
  );
  expect(() => start('http://perch.example.org', 'http://perch.example.org:80', 'true')).toThrow(
    'another host',
  );
});

test('hosts below or above that of the service are refused, whatever is meant', () => {
  for (const content of [
    'https://*.perch.example.org',
    'https://*.example.org',
    'https://*.a.perch.example.org',
  ])
    expect(() => start('https://perch.example.org', content, 'true')).toThrow('neither above nor below');
});
