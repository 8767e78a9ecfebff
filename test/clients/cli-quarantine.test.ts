import { expect, test } from 'bun:test';
import { freePort } from '../../infra/servers/port.ts';
import { usePerch } from '../acceptance/support/perch.ts';
import { newUser } from './command.ts';

/** A scanner that is not there, and is not waited for: what is published begins in quarantine. */
const perch = usePerch({ env: { CLAMD_URL: `tcp://127.0.0.1:${await freePort()}`, SCAN_MODE: 'behind' } });

test('what goes into quarantine is published and updated with a note of it, and of why', async () => {
  await using user = await newUser(perch.url);
  await user.write('a.md', '# Hello');
  await user.write('a.pdf', '%PDF-1.4\none');
  await user.write('site/index.html', 'x');
  for (const path of ['a.md', 'a.pdf', 'site'])
    for (const args of [
      ['publish', path],
      ['publish', path],
      ['update', path, path],
    ])
      expect(await user.run(args)).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^It is in quarantine, where nobody but you can read it: unscanned/m),
      });
  const { out, err } = await user.run(['publish', 'a.md', '--json']);
  expect(err).toBe('');
  expect(JSON.parse(out)).toMatchObject({ quarantine: { cause: 'unscanned' } });
});

test('what is in no quarantine has no note of it', async () => {
  await using user = await newUser();
  expect((await user.run(['publish', '-'], { stdin: 'x' })).err).not.toContain('quarantine');
});
