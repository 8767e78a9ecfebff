import { afterEach, expect, test } from 'bun:test';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import {
  createRenderer,
  type Renderer,
  type RendererOptions,
} from '../../../services/content/render/renderer.ts';
import { errors } from '../../../shared/errors.ts';
import { soon } from '../../call-context.ts';
import { atDepth } from '../../depth.ts';

const refuse = () => errors.refused('renderings');
const DENSE = '*a* `b` [c](http://d.example) **e** ~~f~~ <g@h.example>\n'.repeat(100_000);

let renderer: Renderer | undefined;
const warnings: Record<string, unknown>[] = [];

function start(options: Partial<RendererOptions> = {}): Renderer {
  warnings.length = 0;
  const log = { warn: (fields: Record<string, unknown>) => void warnings.push(fields) };
  renderer = createRenderer({
    deadlineMs: 10_000,
    denseDeadlineMs: 10_000,
    workers: 1,
    idleMs: 60_000,
    log,
    refuse,
    ...options,
  });
  return renderer;
}

afterEach(async () => {
  await renderer?.close();
  renderer = undefined;
});

const markdown = (content: string) =>
  ({ format: 'MARKDOWN', language: null, content, title: null, filename: null }) as const;

test('renders markdown and text in the other process', async () => {
  const { render } = start();
  const [page, text] = await Promise.all([
    render(markdown('# Hi *there*'), soon()),
    render({ format: 'TEXT', language: 'json', content: '{}', title: 'x.json', filename: null }, soon()),
  ]);
  expect(page?.title).toBe('Hi there');
  expect(page?.html).toContain('<h1 id="hi-there">Hi <em>there</em>');
  expect(text?.title).toBe('x.json');
  expect(text?.html).toContain('JSON · 1 line · 2 bytes');
});

test('gives null for what overflows the parser, and renders the next page', async () => {
  const { render } = start({ deadlineMs: 60_000, denseDeadlineMs: 60_000 });
  expect(await render(markdown('>'.repeat(20_000)), soon())).toBeNull();
  expect(String(warnings[0]?.reason)).toStartWith('RangeError');
  expect((await render(markdown('# Next'), soon()))?.title).toBe('Next');
});

test('gives null for 5 MB of dense markdown past the deadline, while the jobs behind it still run', async () => {
  const { render } = start({ denseDeadlineMs: 300 });
  const pages = await Promise.all([
    render(markdown(DENSE), soon()),
    render(markdown('# One'), soon()),
    render(markdown('# Two'), soon()),
  ]);
  expect(pages.map((page) => page?.title)).toEqual([undefined, 'One', 'Two']);
  expect(warnings).toEqual([
    { format: 'MARKDOWN', length: DENSE.length, reason: 'render took more than 300 ms' },
  ]);
});

const FORMULAS: [string, string] = [
  'costly formulas in prose',
  `${'word '.repeat(40)}$\\frac{1}{\\sqrt{${'x+'.repeat(400)}1}}$\n\n`.repeat(4_000),
];
const DENSE_ALONE: Array<[string, string]> = [
  ['formulas alone', '$a$ '.repeat(1_250_000)],
  ['alerts alone', '> [!NOTE]\n> a\n\n'.repeat(250_000)],
];

test.each([FORMULAS, ...atDepth(DENSE_ALONE, [])])(
  'is done with 5 MB of %s by its deadline, and renders the next page',
  async (_, content) => {
    const { render } = start({ deadlineMs: 2_000, denseDeadlineMs: 1_000 });
    const page = await render(markdown(content), soon());
    if (page === null) expect(String(warnings[0]?.reason)).toMatch(/took more than|RangeError/);
    else expect(page.html.length).toBeLessThan(40 * 1_048_576);
    expect((await render(markdown('# Next $x$'), soon()))?.title).toBe('Next x');
  },
);

test('turns a caller away at once when the queue is full', async () => {
  const { render } = start({ maxQueued: 1 });
  const results = await Promise.allSettled([
    render(markdown('# 1'), soon()),
    render(markdown('# 2'), soon()),
    render(markdown('# 3'), soon()),
  ]);
  expect(results).toMatchObject([
    { value: { title: '1' } },
    { value: { title: '2' } },
    { reason: { code: 'UNAVAILABLE', retryAfter: 2, isRefusal: true } },
  ]);
});

test('clients take turns: who has much to render keeps others from nothing', async () => {
  const { render } = start({ denseDeadlineMs: 300 });
  const done: string[] = [];
  const ask = async (client: string, content: string): Promise<void> => {
    await render(markdown(content), { ...soon(), client });
    done.push(client);
  };
  await Promise.all([
    ...Array.from({ length: 3 }, () => ask('busy', DENSE)),
    ask('other', '# One'),
    ask('other', '# Two'),
  ]);
  // Turns go by time: the first of "other" may take longer than "busy" has taken, as a new process starts for it.
  expect([done[0], done.at(-1)]).toEqual(['busy', 'busy']);
});

test('several processes render at once', async () => {
  const { render } = start({ workers: 2, denseDeadlineMs: 2_000 });
  const done: string[] = [];
  await Promise.all([
    render(markdown(DENSE), soon()).then(() => done.push('dense')),
    render(markdown('# 1'), soon()).then(() => done.push('quick')),
  ]);
  expect(done).toEqual(['quick', 'dense']);
});

test('a job leaves the queue when nobody waits for it any more', async () => {
  const { render } = start({ maxQueued: 2, denseDeadlineMs: 1_500 });
  const busy = render(markdown(DENSE), soon());
  const late = render(markdown('# Late'), { ...soon(800), client: 'late' });
  await expect(late).rejects.toMatchObject({ code: 'TIMEOUT', mayBeDone: false });
  // The queue has room again, while the process is still at the first page.
  const next = render(markdown('# Next'), { ...soon(), client: 'late' });
  expect(await Promise.race([next, busy])).toBeNull();
  expect((await next)?.title).toBe('Next');
});

test('a page is refused when its caller has no time for it, whether it waits or is being rendered', async () => {
  const { render } = start({ denseDeadlineMs: 1_500 });
  const outcomes = await Promise.allSettled([
    render(markdown(DENSE), soon(700)),
    render(markdown('# Late'), soon(700)),
    render(markdown('# Too late'), soon(0)),
  ]);
  expect(outcomes).toMatchObject(outcomes.map(() => ({ reason: { code: 'TIMEOUT' } })));
  expect((await render(markdown('# Next'), soon()))?.title).toBe('Next');
});

test('renders again after the idle process has ended', async () => {
  const { render } = start({ idleMs: 1 });
  expect((await render(markdown('# 1'), soon()))?.title).toBe('1');
  await Bun.sleep(100);
  expect((await render(markdown('# 2'), soon()))?.title).toBe('2');
});

test('close rejects running and waiting renders, and later ones too', async () => {
  const { render, close } = start();
  const settled = Promise.allSettled([render(markdown(DENSE), soon()), render(markdown('# 2'), soon())]);
  await Bun.sleep(50);
  await close();
  const unavailable = { status: 'rejected', reason: { code: 'UNAVAILABLE' } };
  expect(await settled).toMatchObject([unavailable, unavailable]);
  expect(await Promise.allSettled([render(markdown('# 3'), soon())])).toMatchObject([unavailable]);
  expect(warnings).toEqual([]);
});

test('works from any working directory, and an idle render process keeps no other alive', async () => {
  const module = fileURLToPath(new URL('../../../services/content/render/renderer.ts', import.meta.url));
  const script = `
    const { createRenderer } = await import(${JSON.stringify(module)});
    const { render } = createRenderer({ deadlineMs: 10000, denseDeadlineMs: 10000, workers: 1, idleMs: 600000, log: { warn() {} }, refuse: () => new Error('full') });
    process.stdout.write((await render({ format: 'MARKDOWN', language: null, content: '# Far', title: null, filename: null }, { requestId: '', deadline: Date.now() + 60000 })).title);`;
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: tmpdir(),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  expect(await new Response(child.stdout).text()).toBe('Far');
  expect(await child.exited).toBe(0);
});

test.each<[what: string, input: Parameters<Renderer['render']>[0]]>([
  [
    'spans over thousands of lines',
    { ...markdown(`${'`${'.repeat(130)}${';\n'.repeat(19_900)}x`), format: 'TEXT', language: 'javascript' },
  ],
  [
    'a long link that is used often',
    markdown(`[a]: http://x/${'u'.repeat(50_000)}\n\n${'[a] word word '.repeat(1_500)}`),
  ],
])('gives null for %s, whose page would be a thousand times as long', async (_, input) => {
  const { render } = start();
  expect(await render(input, soon())).toBeNull();
  expect(String(warnings[0]?.reason)).toStartWith('RangeError');
});

test('does not highlight code with a line that is too long', async () => {
  const { render } = start();
  const page = await render(markdown(`\`\`\`c\n${'a'.repeat(100_000)}\n\`\`\``), soon());
  expect(page?.html).toContain('a'.repeat(100_000));
});

test.each([
  ['javascript', '\n'],
  ['csharp', 'a\n'],
  ['haskell', '\n'],
  ['nix', ' \n'],
])(
  'does not highlight %s without punctuation, which would take longer than there is',
  async (language, line) => {
    const { render } = start();
    const content = line.repeat(100_000 / line.length);
    const page = await render({ ...markdown(content), format: 'TEXT', language }, soon());
    expect(page?.html).toContain(' lines ');
    expect(warnings).toEqual([]);
  },
);
