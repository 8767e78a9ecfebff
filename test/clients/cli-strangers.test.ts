import { expect, test } from 'bun:test';
import { readdir } from 'node:fs/promises';
import { useStarted } from '../started.ts';
import { newUser } from './command.ts';
import { clientInstance } from './instance.ts';

useStarted(clientInstance);

test('a success of something that is no Perch is none: nothing is kept or told as done', async () => {
  for (const answer of [{}, null, { items: {}, ownerToken: 5 }]) {
    using stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json(answer) });
    await using user = await newUser(stranger.url.origin);
    await user.write('a.md', '# Hello');
    const record = { kind: 'html', namespace: 'public', id: 'a', url: `${stranger.url}public/a` };
    await user.write('.perch.json', JSON.stringify({ [user.url]: { 'b.md': record } }));
    for (const args of [
      ['publish', 'a.md'],
      ['token', 'new'],
      ['kv', 'set', 'store', 'key', '1'],
    ])
      expect(await user.run(args)).toMatchObject({ code: 7, out: '' });
    expect(await readdir(user.configFolder).catch(() => [])).toEqual([]);
    const env = { PERCH_TOKEN: 'a-token-of-a-build-server' };
    for (const args of [
      ['publish', 'a.md'],
      ['update', 'b.md', 'a.md'],
      ['get', 'public/a'],
      ['rm', 'b.md'],
      ['rm', 'public/a'],
      ['renew', 'b.md'],
      ['ls'],
      ['domain', 'b.md'],
      ['kv', 'set', 'store', 'key', '1'],
      ['kv', 'increment', 'store', 'key'],
    ]) {
      const { code, out, err } = await user.run(args, { env });
      expect({ args, code, out, err }).toMatchObject({ args, code: 7, out: '' });
      expect(err).not.toContain('removed');
    }
  }
});
