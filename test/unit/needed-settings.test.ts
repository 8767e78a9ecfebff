import { expect, test } from 'bun:test';
import { type ConfigError, loadConfig } from '../../shared/config.ts';

const issuesOf = (env: Record<string, string>): string[] => {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    return (error as ConfigError).message
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
};

const endpoint = { INDEXNOW_ENDPOINT: 'https://search.example/indexnow', INDEXNOW_KEY: 'abcdefgh' };

test.each([
  [{ CUSTOM_DOMAINS: 'true' }, 'CUSTOM_DOMAINS'],
  [endpoint, 'INDEXNOW_ENDPOINT'],
])('%p needs BASE_URL', (env, name) => {
  expect(issuesOf(env)).toEqual([`BASE_URL is (nothing); it wants a value, because ${name} is set`]);
  expect(issuesOf({ ...env, BASE_URL: 'https://perch.example.org' })).toEqual([]);
});

test.each([
  ['BASE_URL', { CUSTOM_DOMAINS: 'true', BASE_URL: 'ftp://perch.example.org' }],
  ['BASE_URL', { ...endpoint, BASE_URL: 'https://perch.example.org/path' }],
  ['CONTENT_BASE_URL', { ...endpoint, BASE_URL: 'https://perch.example.org', CONTENT_BASE_URL: 'ftp://x' }],
])('a wrong %s is told of once, whoever needs it: %p', (name, env) => {
  const issues = issuesOf(env);
  expect(issues).toHaveLength(1);
  expect(issues[0]).toStartWith(`${name} is `);
});
