import { afterAll, expect, test } from 'bun:test';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import {
  createPasswords,
  PASSWORD_ATTEMPTS,
  type Passwords,
} from '../../../services/gateway/auth/passwords.ts';
import { createMemoryCache } from '../../../shared/adapters/cache/memory.ts';
import { systemClock } from '../../../shared/clock.ts';
import { loadConfig } from '../../../shared/config.ts';
import { errors } from '../../../shared/errors.ts';

const ITEM = { namespace: 'notes', id: 'locked' };
const cache = await createMemoryCache({
  clock: systemClock,
  log: pino({ level: 'silent' }),
  snapshotFile: join(tmpdir(), crypto.randomUUID(), 'views'),
});
afterAll(() => cache.close());
const passwordsWith = (settings: Record<string, string>): Passwords =>
  createPasswords({ cache, config: loadConfig(settings), refuse: () => errors.refused('passwords') });

test('a hash costs what OWASP asks for unless a setting says otherwise, and opens under any other setting', async () => {
  const usual = await passwordsWith({}).hash('secret', 'anna');
  expect(usual).toStartWith('$argon2id$v=19$m=19456,t=2,');
  const cheap = await passwordsWith({ PASSWORD_HASH_KB: '64' }).hash('secret', 'anna');
  expect(cheap).toStartWith('$argon2id$v=19$m=64,t=2,');
  for (const hash of [usual, cheap]) {
    expect(await Bun.password.verify('secret', hash)).toBe(true);
    expect(await Bun.password.verify('secreT', hash)).toBe(false);
  }
});

/** One on each core, and half of those that may wait. */
const SHARE = availableParallelism() + 32;

test('a client that sends many passwords at once gets its share, and another one is served beside it', async () => {
  const passwords = passwordsWith({ PASSWORD_HASH_KB: '64' });
  const all = Array.from({ length: SHARE + 1 }, () => passwords.hash('secret', 'anna'));
  const other = passwords.hash('secret', 'bert');
  const outcomes = await Promise.allSettled(all);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([{ status: 'rejected', reason: expect.objectContaining({ code: 'UNAVAILABLE' }) }]);
  expect(outcomes.at(-1)?.status).toBe('rejected');
  expect(await other).toStartWith('$argon2id$');
});

test('a check that is refused counts as no attempt', async () => {
  const passwords = passwordsWith({ PASSWORD_HASH_KB: '8192' });
  const hash = await passwords.hash('secret', 'anna');
  const busy = Array.from({ length: SHARE }, () => passwords.hash('secret', 'anna'));
  const guesses = Array.from({ length: PASSWORD_ATTEMPTS.limit }, (_, n) =>
    passwords.verify(ITEM, hash, `wrong ${n}`, 'anna'),
  );
  for (const outcome of await Promise.allSettled(guesses))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'UNAVAILABLE' } });
  await Promise.all(busy);
  await passwords.verify(ITEM, hash, 'secret', 'anna');
});

test('a password that has opened one item opens no other', async () => {
  const passwords = passwordsWith({ PASSWORD_HASH_KB: '64' });
  const [one, other] = await Promise.all(['secret', 'other'].map((text) => passwords.hash(text, 'anna')));
  await passwords.verify({ namespace: 'notes', id: 'one' }, one ?? '', 'secret', 'anna');
  const tried = passwords.verify({ namespace: 'notes', id: 'other' }, other ?? '', 'secret', 'anna');
  await expect(tried).rejects.toMatchObject({ code: 'PASSWORD_WRONG' });
});

test('wrong passwords lock out their client from their item alone, also with the right one', async () => {
  const passwords = passwordsWith({ PASSWORD_HASH_KB: '64' });
  const item = { namespace: 'notes', id: 'guessed' };
  const hash = await passwords.hash('secret', 'anna');
  await passwords.verify(item, hash, 'secret', 'anna');
  for (let n = 0; n < PASSWORD_ATTEMPTS.limit; n++)
    await expect(passwords.verify(item, hash, `wrong ${n}`, 'anna')).rejects.toMatchObject({
      code: 'PASSWORD_WRONG',
    });
  for (const password of ['wrong', 'secret'])
    await expect(passwords.verify(item, hash, password, 'anna')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
  await passwords.verify(item, hash, 'secret', 'bert');
  await passwords.verify({ ...item, id: 'unguessed' }, hash, 'secret', 'anna');
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
  else expect(load).toThrow(`PASSWORD_HASH_KB is ${value}; it wants`);
});
