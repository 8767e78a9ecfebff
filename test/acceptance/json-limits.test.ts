import { describe, expect, test } from 'bun:test';
import { type Body, jsonOf, ownedBy, type Published, type RequestOptions, raw } from './support/client.ts';
import { atOnce, tally } from './support/concurrency.ts';
import { expectError } from './support/errors.ts';
import { sharePerch } from './support/perch.ts';

const perch = sharePerch();

const MB = 1_048_576;
/** A text of so many bytes with its quotes. */
const textOf = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`;

const create = (body: Body, client = perch.last) =>
  client.request('/api/json', { method: 'POST', ...raw(body, 'application/json') });
const replace = (document: Published, body: Body, options: RequestOptions = ownedBy(document)) =>
  perch.request(`/api/json/public/${document.id}`, {
    method: 'PUT',
    ...raw(body, 'application/json', options),
  });
const read = ({ id }: Published) => perch.last.request(`/public/${id}`);

/** A create and an update of the same content succeed. */
async function expectTaken(content: string): Promise<void> {
  const document = await jsonOf<Published>(await create(content), 201);
  expect((await (await read(document)).text()) === content).toBe(true);
  const other = await jsonOf<Published>(await create('"small"'), 201);
  expect((await replace(other, content)).status).toBe(200);
  expect((await (await read(other)).text()) === content).toBe(true);
}

/** Neither does, and what was there stays. */
async function expectRefused(content: string, code: string): Promise<void> {
  await expectError(await create(content), 400, code);
  const document = await jsonOf<Published>(await create('"small"'), 201);
  await expectError(await replace(document, content), 400, code);
  expect(await (await read(document)).text()).toBe('"small"');
}

describe('a document of 1 MB', () => {
  test('less a byte, and of exactly that, is taken', async () => {
    for (const bytes of [MB - 1, MB]) await expectTaken(textOf(bytes));
  });

  test('and a byte is refused, also when the byte is white space', async () => {
    for (const content of [textOf(MB + 1), `${textOf(MB)}\n`, ' '.repeat(MB + 1)])
      await expectRefused(content, 'TOO_LARGE');
  });

  test('is counted in bytes, not in characters', async () => {
    await expectTaken(`"${'é'.repeat((MB - 2) / 2)}"`);
    await expectRefused(`"${'é'.repeat((MB - 2) / 2)}é"`, 'TOO_LARGE');
  });

  test('and more is refused before it is read as JSON', async () => {
    for (const content of ['x'.repeat(MB + 1), '['.repeat(MB + 1)]) await expectRefused(content, 'TOO_LARGE');
  });

  test('that comes in pieces of undeclared length has the same limit', async () => {
    const inPieces = (text: string) =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          const bytes = new TextEncoder().encode(text);
          for (let at = 0; at < bytes.length; at += 65_536) {
            controller.enqueue(bytes.subarray(at, at + 65_536));
            await Bun.sleep(0);
          }
          controller.close();
        },
      });
    expect((await create(inPieces(textOf(MB)))).status).toBe(201);
    await expectError(await create(inPieces(textOf(MB + 1))), 400, 'TOO_LARGE');
  });

  test('is taken twelve times at once', async () => {
    const content = textOf(MB);
    const answers = await atOnce(12, (n) => create(content, n % 2 === 0 ? perch.last : perch));
    expect(tally(answers.map(({ status }) => status))).toEqual({ 201: 12 });
    const documents = await Promise.all(answers.map((answer) => jsonOf<Published>(answer, 201)));
    for (const document of documents) expect((await (await read(document)).text()) === content).toBe(true);
  });
});

describe('a document nested', () => {
  const shapes: Array<[name: string, nested: (depth: number) => string]> = [
    ['in arrays', (depth) => '['.repeat(depth) + ']'.repeat(depth)],
    ['in arrays around a value', (depth) => `${'['.repeat(depth)}1${']'.repeat(depth)}`],
    ['in objects', (depth) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`],
    [
      'in both in turn',
      (depth) => {
        const open = Array.from({ length: depth }, (_, level) => (level % 2 === 0 ? '[1,' : '{"a":'));
        const close = open.map((bracket) => (bracket === '[1,' ? ']' : '}')).toReversed();
        return `${open.join('')}null${close.join('')}`;
      },
    ],
    ['behind shallower parts', (depth) => `[[[]],${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},[]]`],
  ];
  for (const [name, nested] of shapes) {
    test(`${name}: 511 and 512 levels are taken, 513 are not`, async () => {
      for (const depth of [511, 512]) await expectTaken(nested(depth));
      for (const depth of [513, 100_000]) await expectRefused(nested(depth), 'JSON_INVALID');
    });
  }

  test('without an end is refused', async () => {
    for (const content of ['['.repeat(MB), '{"a":'.repeat(100_000)])
      await expectRefused(content, 'JSON_INVALID');
  });

  test('only in its texts and side by side is not deep', async () => {
    await expectTaken(JSON.stringify(['['.repeat(2_000), '\\"[{'.repeat(1_000), '{"a":'.repeat(1_000)]));
    await expectTaken(`[${Array.from({ length: 2_000 }, () => '[{}]').join()}]`);
  });
});
