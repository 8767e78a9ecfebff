import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { compileCommand } from '../../clients/build.ts';
import { useStarted } from '../started.ts';
import { newUser, readText } from './command.ts';
import { clientInstance } from './instance.ts';

useStarted(clientInstance);

test('the command as one file publishes a page and a folder, where neither Bun nor Node.js is in the path', async () => {
  await using user = await newUser();
  const binary = join(user.folder, 'perch');
  await compileCommand(binary);
  await user.write('site/index.html', '<h1>One file</h1>');
  const publish = async (path: string): Promise<string> => {
    const env = { XDG_CONFIG_HOME: user.configFolder, PERCH_URL: user.url };
    const child = Bun.spawn([binary, 'publish', path, '--qr'], {
      cwd: user.folder,
      env,
      stdout: 'pipe',
      stderr: 'ignore',
    });
    return (await new Response(child.stdout).text()).trim();
  };
  await user.write('a.md', '# One file');
  expect(await readText(`${await publish('a.md')}?raw=true`)).toBe('# One file');
  expect(await readText(`${await publish('site')}/`)).toBe('<h1>One file</h1>');
});
