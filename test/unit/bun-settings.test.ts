import { expect, test } from 'bun:test';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ALLOCATOR_SETTINGS, BUN_SETTINGS } from '../../infra/service-process.ts';

const fileOf = (path: string): Promise<string> => Bun.file(join(import.meta.dirname, '../..', path)).text();

test('npm start gives Bun the settings that each process of a cluster has', async () => {
  const { scripts } = JSON.parse(await fileOf('package.json')) as { scripts: { start: string } };
  for (const [name, value] of Object.entries(BUN_SETTINGS))
    expect(scripts.start).toContain(`${name}=\${${name}:-${value}} `);
});

test('the image gives Bun and its allocator the settings that each process of a cluster has', async () => {
  const image = await fileOf('infra/Dockerfile');
  for (const [name, value] of Object.entries({ ...BUN_SETTINGS, ...ALLOCATOR_SETTINGS })) {
    expect(image).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'));
  }
});

test('secrets with $ and # reach Perch from .env as .env.example says', async () => {
  const advice = (await fileOf('.env.example')).split('\n').filter((line) => line.startsWith('#'));
  for (const form of ['\\$', '%24', '%23', "'a#b'"]) expect(advice.join('\n')).toContain(form);
  const folder = await mkdtemp(join(tmpdir(), 'perch-env-'));
  try {
    const lines = String.raw`
      BARE=a\$b
      QUOTED='a#b\$c'
      ADDRESS=postgres://u:p%24x%23y@h/d`;
    await writeFile(join(folder, '.env'), lines.replaceAll(/^ +/gm, ''));
    const code = 'console.log(JSON.stringify([process.env.BARE, process.env.QUOTED, process.env.ADDRESS]))';
    const { stdout } = Bun.spawnSync([process.execPath, '-e', code], { cwd: folder });
    expect(JSON.parse(stdout.toString())).toEqual(['a$b', 'a#b$c', 'postgres://u:p%24x%23y@h/d']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
