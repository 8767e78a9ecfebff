import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { BUN_SETTINGS } from '../../infra/service-process.ts';

const fileOf = (path: string): Promise<string> => Bun.file(join(import.meta.dirname, '../..', path)).text();

test('npm start and the image give Bun the settings that each process of a cluster has', async () => {
  const { scripts } = JSON.parse(await fileOf('package.json')) as { scripts: { start: string } };
  const image = await fileOf('infra/Dockerfile');
  for (const [name, value] of Object.entries(BUN_SETTINGS)) {
    expect(scripts.start).toContain(`${name}=\${${name}:-${value}} `);
    expect(image).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'));
  }
});
