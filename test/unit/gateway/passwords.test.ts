import { expect, test } from 'bun:test';
import { hashPassword } from '../../../services/gateway/auth/passwords.ts';
import { ConfigError, loadConfig } from '../../../shared/config.ts';

test('a hash costs what OWASP asks for unless a setting says otherwise, and opens under any other setting', async () => {
  const usual = await hashPassword('secret', loadConfig({}));
  expect(usual).toStartWith('$argon2id$v=19$m=19456,t=2,');
  const cheap = await hashPassword('secret', loadConfig({ PASSWORD_HASH_KB: '64' }));
  expect(cheap).toStartWith('$argon2id$v=19$m=64,t=2,');
  for (const hash of [usual, cheap]) {
    expect(await Bun.password.verify('secret', hash)).toBe(true);
    expect(await Bun.password.verify('secreT', hash)).toBe(false);
  }
});

test.each([
  ['63', false],
  ['64', true],
  ['65', true],
  ['1048575', true],
  ['1048576', true],
  ['1048577', false],
])('PASSWORD_HASH_KB=%s is taken: %p', (value, taken) => {
  const load = () => loadConfig({ PASSWORD_HASH_KB: value });
  if (taken) expect(load().passwordHashKib).toBe(Number(value));
  else expect(load).toThrow(ConfigError);
});
