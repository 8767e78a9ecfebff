import { expect, test } from 'bun:test';
import { linkedHosts } from '../../shared/scanning/linked-hosts.ts';

test('long runs of slashes, blanks and quotes cost no more than their length', () => {
  const size = 300_000;
  const texts = ['/', '\\', ' /', 'http:', 'http: ', 'h', '="', "='", '&#47;'].map((part) =>
    part.repeat(size / part.length),
  );
  for (const text of texts) {
    // A quadratic search would take minutes.
    expect([...linkedHosts(`${text} <a href="https://end.example">`)]).toContain('end.example');
  }
});

test('hosts are found behind any number of slashes, once each', () => {
  const hosts = linkedHosts('https:////a.example //b.example \\\\/c.example http:d.example //a.example');
  expect([...hosts].toSorted()).toEqual(['a.example', 'b.example', 'c.example', 'd.example']);
});
