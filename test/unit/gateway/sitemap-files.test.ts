import { afterEach, expect, test } from 'bun:test';
import type { Server } from 'bun';
import pino from 'pino';
import { createFairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { searchEngineRoutes } from '../../../services/gateway/features/discovery/routes.ts';
import { RequestContext, runInContext } from '../../../services/gateway/http/request-context.ts';
import type { AnswerWatch } from '../../../services/gateway/items/answer-watch.ts';
import { createResponseMemory, UNHELD_BYTES } from '../../../services/gateway/items/response-memory.ts';
import type { UploadDependencies } from '../../../services/gateway/uploads/dependencies.ts';
import { fixedBody, fixedResponse } from '../../../services/gateway/web/fixed-body.ts';
import { createInProcessBus } from '../../../shared/adapters/bus/in-process.ts';
import { countListed, walkListed } from '../../../shared/contracts/gallery.ts';
import { handler, serve } from '../../../shared/contracts/serve.ts';
import { errors } from '../../../shared/errors.ts';
import { readSitemapFile } from '../../sitemap-file.ts';

const BASE_URL = 'https://a-rather-long-name-of-a-host.perch.example';
const OWN_PAGES = 4;
const URLS_PER_FILE = 10_000;
/** Bytes of a file at most: about half of what the kernel takes of one answer, so that nothing of it stays in this process. */
const MAX_BYTES = 2_000_000;

const cleanUps: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** The routes over so many listed items with ids as long as any, and the room that was taken for answers. */
async function routesOver(count: number) {
  const log = pino({ level: 'silent' });
  const bus = createInProcessBus({ maxPayloadBytes: 1_000_000 });
  cleanUps.push(() => bus.close());
  const items = Array.from({ length: count }, (_, n) => ({
    id: `${n}`.padStart(64, 'x'),
    createdAt: n,
    updatedAt: n,
  }));
  await serve(
    bus,
    'content',
    [
      handler(countListed, async () => ({ total: count })),
      handler(walkListed, async ({ after, offset, limit }) => {
        const start = after === null ? offset : after.createdAt + 1 + offset;
        return { items: items.slice(start, start + limit) };
      }),
    ],
    log,
  );
  const held: number[] = [];
  const settings = { baseUrl: BASE_URL, trustProxy: 0, port: 80 };
  const routes = searchEngineRoutes({
    bus,
    config: { ...settings, contentBaseUrl: null },
    limits: { admit: async () => undefined },
    responseMemory: { hold: async (_: unknown, bytes: number) => void held.push(bytes) },
  } as unknown as UploadDependencies);
  const server = { requestIP: () => ({ address: '10.0.0.9' }) } as unknown as Server<unknown>;
  const ask = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const context = new RequestContext(new Request(`${BASE_URL}${path}`, { headers }), server, settings);
    return await runInContext(context, () => routes.handle(context.request));
  };
  return { ask, held };
}

test.each([
  [-1, 'urlset', []],
  [0, 'urlset', []],
  [1, 'sitemapindex', [URLS_PER_FILE, 1]],
  [URLS_PER_FILE - OWN_PAGES + 1, 'sitemapindex', [URLS_PER_FILE, URLS_PER_FILE - OWN_PAGES, 1]],
] as const)(
  'of %d addresses above 10,000 the first file is %s',
  async (above, root, parts) => {
    const { ask } = await routesOver(URLS_PER_FILE - OWN_PAGES + above);
    const text = await (await ask('/sitemap.xml')).text();
    const first = readSitemapFile(text);
    expect(text.length).toBeLessThan(MAX_BYTES);
    expect([first.root, first.urls.length]).toEqual([
      root,
      parts.length === 0 ? URLS_PER_FILE + above : parts.length,
    ]);
    for (const [index, length] of parts.entries()) {
      const part = await (await ask(`/sitemap.xml?part=${index + 1}`)).text();
      expect(part.length).toBeLessThan(MAX_BYTES);
      expect(readSitemapFile(part).urls).toHaveLength(length);
    }
  },
  30_000,
);

test('a reader takes room for the bytes of a sitemap that it is sent, and for no 304', async () => {
  const { ask, held } = await routesOver(1_000);
  const plain = await ask('/sitemap.xml');
  const coded = await ask('/api/sitemap.xml', { 'Accept-Encoding': 'gzip' });
  expect(coded.headers.get('Content-Encoding')).toBe('gzip');
  const sizes = [(await plain.bytes()).length, (await coded.bytes()).length];
  expect(held).toEqual(sizes);
  const again = await ask('/sitemap.xml', { 'If-None-Match': plain.headers.get('ETag') ?? '' });
  expect([again.status, held]).toEqual([304, sizes]);
});

test.each([UNHELD_BYTES - 1, UNHELD_BYTES, UNHELD_BYTES + 1])(
  'of two readers of %d bytes at once both are answered where there is room or none is needed',
  async (bytes) => {
    const refuse = () => errors.refused('long-reads');
    // A client alone may hold half of it.
    const room = createFairBudget({ total: 2 * bytes, refuse, waitMs: 1 });
    const watch: AnswerWatch = {
      add: () => undefined,
      settle: () => undefined,
      takeSettled: (take) => take(),
    };
    const answers = createResponseMemory(room, watch, refuse);
    const connection = { isOver: () => false, hurry: () => undefined };
    const body = fixedBody(new Uint8Array(bytes), 'application/xml');
    const request = new Request(BASE_URL);
    const both = await Promise.allSettled(
      [1, 2].map(() =>
        fixedResponse(request, body, 'no-cache', (size) =>
          answers.hold({ clientKey: 'a', connection }, size),
        ),
      ),
    );
    expect(both.map(({ status }) => status)).toEqual([
      'fulfilled',
      bytes > UNHELD_BYTES ? 'rejected' : 'fulfilled',
    ]);
  },
);
