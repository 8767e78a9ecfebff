import { expect, test } from 'bun:test';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

interface Planted {
  path: string;
  specifier: string;
}

/** Which of the planted imports the project's lint rules refuse. They are files of a folder of their own. */
async function refusedOf(planted: Planted[]): Promise<Planted[]> {
  const folder = await mkdtemp(join(tmpdir(), 'perch-boundaries-'));
  try {
    for (const path of ['biome.json', 'infra/lint'])
      await cp(join(ROOT, path), join(folder, path), { recursive: true });
    await Promise.all(
      planted.map(({ path, specifier }, n) =>
        Bun.write(join(folder, fileOf(path, n)), `import '${specifier}';\n`),
      ),
    );
    const lint = Bun.spawn(
      [
        join(ROOT, 'node_modules/.bin/biome'),
        ...['lint', '--only=style/noRestrictedImports', '--vcs-enabled=false', '--max-diagnostics=none'],
      ],
      { cwd: folder, stdout: 'pipe', stderr: 'pipe' },
    );
    const [out, err] = await Promise.all([
      new Response(lint.stdout).text(),
      new Response(lint.stderr).text(),
      lint.exited,
    ]);
    // The planted files, its own settings and its own rule.
    expect(`${out}${err}`).toContain(`Checked ${planted.length + 2} files`);
    return planted.filter(({ path }, n) => `${out}${err}`.includes(`${fileOf(path, n)}:1:`));
  } finally {
    await rm(folder, { recursive: true });
  }
}

const fileOf = (folder: string, n: number): string => `${folder}/planted-${n}.ts`;

const GATEWAY = 'services/gateway';

const FORBIDDEN: Array<[path: string, specifier: string]> = [
  ['clients/js/src', '../../../shared/config.ts'],
  ['clients/js/src', '../generate/types-of.ts'],
  ['clients/cli/src/commands', '../../../../infra/environment.ts'],
  [`${GATEWAY}/http`, '../items/item-lookup.ts'],
  [`${GATEWAY}/http`, '../app.ts'],
  [`${GATEWAY}/archives`, '../kinds/sites/archive.ts'],
  [`${GATEWAY}/http`, '../../../shared/adapters/bus/nats.ts'],
  [`${GATEWAY}/admission`, '../auth/passwords.ts'],
  [`${GATEWAY}/auth`, '../items/item-lookup.ts'],
  [`${GATEWAY}/items`, '../kinds/html/respond.ts'],
  [`${GATEWAY}/items`, '../rendered-pages/rendered-pages.ts'],
  [`${GATEWAY}/rendered-pages`, '../kinds/html/respond.ts'],
  [`${GATEWAY}/live`, '../items/item-lookup.ts'],
  [`${GATEWAY}/uploads`, '../kinds/sites/spool.ts'],
  [`${GATEWAY}/openapi`, '../features/gallery/query.ts'],
  [`${GATEWAY}/kinds/html`, '../sites/spool.ts'],
  [`${GATEWAY}/kinds/html`, '../../features/gallery/query.ts'],
  [`${GATEWAY}/kinds/html`, '../../app.ts'],
  [`${GATEWAY}/kinds/kv/hot-puts`, '../../html/respond.ts'],
  [`${GATEWAY}/kinds/kv/hot-puts`, '../../../dependencies.ts'],
  [`${GATEWAY}/hot-reads`, '../kinds/kv/respond.ts'],
  [`${GATEWAY}/hot-reads`, '../dependencies.ts'],
  [`${GATEWAY}/features/gallery`, '../stats/serializer.ts'],
  [`${GATEWAY}/features/gallery`, '../../kinds/kv/key.ts'],
  [`${GATEWAY}/features/discovery/llms`, '../../gallery/query.ts'],
  [`${GATEWAY}/web/browser`, '../assets.ts'],
  [`${GATEWAY}/web/browser/pages`, '../../assets.ts'],
  [`${GATEWAY}/web/browser/pages`, '../../../http/language.ts'],
  [`${GATEWAY}/features/admin/console`, '../../gallery/query.ts'],
  ['services/kv', '../gateway/app.ts'],
  ['shared/items', '../adapters/bus-nats.ts'],
];

const ALLOWED: Array<[path: string, specifier: string]> = [
  [`${GATEWAY}/http`, './text.ts'],
  [`${GATEWAY}/http`, '../../../shared/errors.ts'],
  [`${GATEWAY}/items`, '../../../shared/items/item-record.ts'],
  [`${GATEWAY}/kinds/html`, '../../items/item-lookup.ts'],
  [`${GATEWAY}/kinds/html`, '../../live/topic.ts'],
  [`${GATEWAY}/kinds/kv/hot-puts`, '../key.ts'],
  [`${GATEWAY}/kinds/kv/hot-puts`, '../../../hot-reads/counted-groups.ts'],
  [`${GATEWAY}/hot-reads`, '../items/response-bodies.ts'],
  [`${GATEWAY}/features/discovery/llms`, '../sitemap.ts'],
  [`${GATEWAY}/pages`, '../web/assets.ts'],
  [`${GATEWAY}/web/browser`, '../texts/page-language.ts'],
  [`${GATEWAY}/web/browser/pages`, '../elements.ts'],
  [`${GATEWAY}/web/browser/pages`, '../publish/requests.ts'],
  [`${GATEWAY}/web/browser/viewers`, '../../../../../shared/pages/separated-values.ts'],
  [`${GATEWAY}/web/browser/pages`, '../../../../../shared/wording/format-size.ts'],
  [`${GATEWAY}/features/admin/console`, '../admitted.ts'],
  [GATEWAY, './kinds/html/routes.ts'],
];

test('imports run one way: from slices to layers, from layers to those below, from services to shared', async () => {
  const planted = FORBIDDEN.map(([path, specifier]) => ({ path, specifier }));
  expect(await refusedOf(planted)).toEqual(planted);
});

test('imports along the way are taken', async () => {
  expect(await refusedOf(ALLOWED.map(([path, specifier]) => ({ path, specifier })))).toEqual([]);
});
