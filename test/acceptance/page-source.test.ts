import { expect, setDefaultTimeout, test } from 'bun:test';
import { launch, slowReaders } from '../../infra/soak/attacks.ts';
import { apiPath, jsonOf, ownedBy, raw } from './support/client.ts';
import { eventually } from './support/concurrency.ts';
import { sharePerch } from './support/perch.ts';

setDefaultTimeout(120_000);
const perch = sharePerch();

/** Half of the long reads that a gateway takes are one client's at most. */
const SHARE = 96;

const published = async (content: string) => {
  const page = await perch.publish(raw(content, 'text/plain'));
  return { page, path: `${apiPath(page)}/source` };
};

const LONG: Array<[name: string, content: string]> = [
  ['a long source', '\ufeffA "quote" \\ — 漢字 🐦\n\u0001'.repeat(100_000)],
  ['a short source whose JSON is long', '\u0001'.repeat(300_000)],
];

test.each(LONG)('%s is whole, and JSON as a short one', async (_, content) => {
  const { page, path } = await published(content);
  const short = await perch.publish(raw('short', 'text/plain'));
  const small = await perch.request(`${apiPath(short)}/source`, ownedBy(short));
  const fields = Object.keys(await jsonOf(small));
  for (let turn = 0; turn < 3; turn += 1) {
    const head = await perch.request(path, { method: 'HEAD', ...ownedBy(page) });
    const whole = await perch.request(path, ownedBy(page));
    for (const { headers, status } of [head, whole]) {
      expect(status).toBe(200);
      expect(headers.get('ETag')).toMatch(/^"[^"]+"$/);
      for (const name of ['Content-Type', 'Cache-Control'])
        expect(headers.get(name)).toBe(small.headers.get(name));
    }
    const found = await jsonOf<{ content: string }>(whole);
    expect(Object.keys(found)).toEqual(fields);
    expect(found.content === content).toBeTrue();
  }
});

test('answers to who takes nothing of long sources have a client’s share, and a HEAD keeps none of it', async () => {
  const { page, path } = await published('\u0001'.repeat(5 * 1_048_576));
  const asked = `${path}?token=${page.ownerToken}`;
  for (let turn = 0; turn < SHARE + 10; turn += 1)
    expect((await perch.request(asked, { method: 'HEAD' })).status).toBe(200);
  const attacker = launch(perch.url, slowReaders('10.66.0.1', SHARE + 20, asked));
  try {
    await eventually(async () => (attacker.statuses.get(200) ?? 0) >= SHARE && attacker.statuses.has(503));
    const whole = await perch.request(asked);
    expect((await whole.bytes()).length).toBeGreaterThan(30 * 1_048_576);
  } finally {
    attacker.stop();
  }
});
