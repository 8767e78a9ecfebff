import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import { createFairBudget, type FairBudget } from '../../../services/gateway/admission/fair-budget.ts';
import { createMemoryBudget, type MemoryBudget } from '../../../services/gateway/admission/memory-budget.ts';
import { readBody, readFilePart, streamBody } from '../../../services/gateway/admission/read-body.ts';
import type { BodyPace } from '../../../services/gateway/http/body-reader.ts';
import { readMultipart } from '../../../services/gateway/http/multipart.ts';
import type { RequestContext } from '../../../services/gateway/http/request-context.ts';
import { errors } from '../../../shared/errors.ts';
import { bodyOf, contextWith, OPTIONS, serveContexts, tooLarge } from './request-context.ts';

const LIMIT = { bytes: 1_000, tooLarge };
const FAULT = { code: 'VALIDATION_FAILED' };
const refuse = () => errors.refused('uploads');

/** Room for `small` and `large` bodies each, in bytes. */
const budgetOf = (small = 1_000_000, large = 1_000_000): MemoryBudget => ({
  small: createFairBudget({ total: small, refuse, waitMs: 20 }),
  large: createFairBudget({ total: large, refuse, waitMs: 20 }),
});

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** Every way to read a whole body. */
const WAYS: Record<string, (context: RequestContext, pace?: BodyPace) => Promise<Uint8Array>> = {
  'into memory': (context, pace) => readBody(context, LIMIT, budgetOf(), pace),
  'as it comes': (context, pace) => collect(streamBody(context, LIMIT, pace)),
};

/** A body that begins and then does not go on. */
const stalled = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      controller.enqueue(new Uint8Array(10));
    },
  });

/** A body that never ends, a byte at a time. */
const trickling = (): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      await Bun.sleep(2);
      controller.enqueue(new Uint8Array(1));
    },
  });

describe.each(Object.entries(WAYS))('a body read %s', (_, read) => {
  test('comes whole', async () => {
    const pieces = [Buffer.from('one '), Buffer.from(''), Buffer.from('two')];
    expect(Buffer.from(await read(contextWith(bodyOf(pieces).stream))).toString()).toBe('one two');
    expect(await read(contextWith(null))).toHaveLength(0);
  });

  test('may be as long as the limit, and not a byte longer', async () => {
    expect(await read(contextWith(new Uint8Array(1_000)))).toHaveLength(1_000);
    const body = bodyOf([new Uint8Array(1_000), new Uint8Array(1), new Uint8Array(1)]);
    await expect(read(contextWith(body.stream))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(body.wasCancelled()).toBe(true);
  });

  test('is refused by its announced length, its encoding, or when it does not keep to its length', async () => {
    const announced = (length: number) =>
      contextWith(bodyOf([new Uint8Array(10)]).stream, { 'Content-Length': `${length}` });
    await expect(read(announced(1_001))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(read(announced(11))).rejects.toMatchObject(FAULT);
    const encoded = contextWith(new Uint8Array(10), { 'Content-Encoding': 'br' });
    await expect(read(encoded)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test('is too slow when too little comes in a window, or when it takes too long in all', async () => {
    const pace = { windowMs: 20, minBytes: 100, totalMs: 60_000 };
    for (const [body, bytes] of [
      [stalled(), 10],
      [trickling(), '\\d+'],
    ] as const) {
      const slow = read(contextWith(body), pace);
      await expect(slow).rejects.toThrow(
        new RegExp(`${bytes} bytes came in 0.02 seconds, and at least 100 have to`),
      );
      await expect(slow).rejects.toMatchObject(FAULT);
    }
    const slow = read(contextWith(trickling()), { windowMs: 10_000, minBytes: 1, totalMs: 60 });
    await expect(slow).rejects.toThrow('took longer than');
    await expect(slow).rejects.toMatchObject(FAULT);
  });

  test('may come as slowly as it likes above the least pace, window by window', async () => {
    const pace = { windowMs: 1_000, minBytes: 100, totalMs: 60_000 };
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        for (let sent = 0; sent < 1_000; sent += 100) {
          controller.enqueue(new Uint8Array(100));
          await Bun.sleep(150);
        }
        controller.close();
      },
    });
    // 1.5 s in all: longer than a window.
    expect(await read(contextWith(body), pace)).toHaveLength(1_000);
  });

  test('gives the work that follows its full time again', async () => {
    const context = contextWith(new Uint8Array(1));
    context.callContext.deadline = 0;
    await read(context);
    expect(context.callContext.deadline).toBeGreaterThan(Date.now());
  });
});

test('a reader that takes its time is not an idle client', async () => {
  const PACE = { windowMs: 20, minBytes: 2, totalMs: 60_000 };
  const body = bodyOf([new Uint8Array(1), new Uint8Array(1), new Uint8Array(1)]);
  let read = 0;
  for await (const chunk of streamBody(contextWith(body.stream), LIMIT, PACE)) {
    read += chunk.length;
    await Bun.sleep(50);
  }
  expect(read).toBe(3);
});

test('a reader that stops early lets go of the rest, and takes no more than it read', async () => {
  const body = bodyOf(Array.from({ length: 100 }, () => new Uint8Array(10)));
  for await (const _ of streamBody(contextWith(body.stream), LIMIT)) break;
  expect(body.wasCancelled()).toBe(true);
  expect(body.taken()).toBeLessThan(100);
});

describe('the budget', () => {
  const large = { bytes: 200_000, tooLarge };
  /** The room that another client finds: half of the free bytes. */
  const leftIn = (budget: FairBudget): number => {
    const probe = budget.open('other');
    let left = 0;
    while (probe.tryTake(1_000)) left += 1_000;
    probe.release();
    return 2 * left;
  };
  const announced = (length: number, sent: number) =>
    contextWith(bodyOf([new Uint8Array(sent)]).stream, { 'Content-Length': `${length}` });

  test('is charged for what came, not for what was announced, until the context ends', async () => {
    const budget = budgetOf();
    const context = announced(180_000, 80_000);
    await expect(readBody(context, large, budget)).rejects.toMatchObject(FAULT);
    expect(leftIn(budget.large)).toBe(920_000);
    context.end();
    expect(leftIn(budget.large)).toBe(1_000_000);
  });

  test('of a small body is one of its own: it waits for no large one', async () => {
    const budget = budgetOf();
    for (const client of 'abcdefghi') budget.large.open(client).tryTake(100_000);
    budget.large.open('10.0.0.9').tryTake(50_000);
    expect(await readBody(announced(60_000, 60_000), large, budget)).toHaveLength(60_000);
    expect(await readBody(contextWith(bodyOf([new Uint8Array(30_000)]).stream), large, budget)).toHaveLength(
      30_000,
    );
    await expect(readBody(announced(70_000, 70_000), large, budget)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  test('without room the body is let go', async () => {
    const body = bodyOf([new Uint8Array(1), new Uint8Array(1)]);
    await expect(readBody(contextWith(body.stream), LIMIT, budgetOf(1, 1))).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(body.wasCancelled()).toBe(true);
  });

  test('holds a part of a form twice, as it is in memory twice', async () => {
    const budget = budgetOf();
    const context = contextWith(null);
    const part = async function* (bytes: number) {
      for (let sent = 0; sent < bytes; sent += 20_000) yield new Uint8Array(20_000);
    };
    expect(await readFilePart(context, part(200_000), large, budget)).toHaveLength(200_000);
    // The first 60,000 of it were small.
    expect(leftIn(budget.small)).toBe(880_000);
    expect(leftIn(budget.large)).toBe(720_000);
    context.end();
    expect([leftIn(budget.small), leftIn(budget.large)]).toEqual([1_000_000, 1_000_000]);
    const second = contextWith(null);
    await expect(readFilePart(second, part(220_000), large, budget)).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });
});

describe('over a real connection', () => {
  const large = { bytes: 50_000_000, tooLarge };
  const drop = async (part: { body: AsyncIterable<Uint8Array> }): Promise<void> => {
    await collect(part.body);
  };
  const options = { ...OPTIONS, limit: large };
  const FORM = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const ways: Record<string, (context: RequestContext) => Promise<unknown>> = {
    'into memory': (context) => readBody(context, large, createMemoryBudget(refuse)),
    'as it comes': (context) => collect(streamBody(context, large)),
    'as a form': (context) => readMultipart(context, options, drop),
  };

  for (const [way, read] of Object.entries(ways)) {
    test.each([['Content-Length: 1000000'], ['Transfer-Encoding: chunked']])(
      `${way}: a client that goes away is a body that broke off (%s)`,
      async (length) => {
        const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
        const server = serveContexts(async (context) => resolve(await read(context).catch((error) => error)));
        try {
          const head = `POST / HTTP/1.1\r\nHost: perch\r\nContent-Type: multipart/form-data; boundary=b\r\n${length}\r\n\r\n`;
          const begun = length.startsWith('T') ? `${FORM.length.toString(16)}\r\n${FORM}\r\n` : FORM;
          const socket = connect(server.port ?? 0, '127.0.0.1', () => {
            socket.write(head + begun, () => setTimeout(() => socket.destroy(), 20));
          });
          const error = await outcome;
          expect(error).toMatchObject(FAULT);
          expect(String(error)).toContain('ended before it was complete');
        } finally {
          await server.stop(true);
        }
      },
    );
  }

  test('a small body may take as long as its size does at the least pace, and no longer', async () => {
    const pace = { windowMs: 400, minBytes: 16_384, totalMs: 60_000 };
    const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
    const outcomes = [resolve];
    const server = serveContexts(async (context) =>
      outcomes.pop()?.(await readBody(context, large, budgetOf(), pace).catch((error) => error)),
    );
    const send = (pieces: number): void => {
      const socket = connect(server.port ?? 0, '127.0.0.1', async () => {
        socket.write('POST / HTTP/1.1\r\nHost: perch\r\nContent-Length: 60000\r\n\r\n');
        for (let sent = 0; sent < pieces; sent++) {
          await Bun.sleep(100);
          socket.write(new Uint8Array(10_000));
        }
      });
      socket.on('error', () => undefined);
    };
    try {
      // 0.6 s of 1.6 s: longer than a window.
      send(6);
      expect(await outcome).toHaveLength(60_000);
      const late = Promise.withResolvers<unknown>();
      outcomes.push(late.resolve);
      send(5);
      expect(String(await late.promise)).toContain('arrives too slowly: it did not come in 1.6 seconds');
    } finally {
      await server.stop(true);
    }
  });

  test('a form as fetch sends it: many files, a large one, and names of all sorts', async () => {
    const server = serveContexts(async (context) => {
      const files: Array<[string | null, number, string]> = [];
      const fields = await readMultipart(context, options, async ({ filename, body }) => {
        const bytes = await collect(body);
        files.push([filename, bytes.length, `${Bun.hash(bytes)}`]);
      });
      return { files, fields };
    });
    try {
      const form = new FormData();
      const sent: Array<[string, number, string]> = [];
      const add = (name: string, bytes: Uint8Array<ArrayBuffer>): void => {
        form.append('files', new File([bytes], name));
        sent.push([name, bytes.length, `${Bun.hash(bytes)}`]);
      };
      for (let index = 0; index < 990; index++) add(`dir/${index}.bin`, new Uint8Array(5_000).fill(index));
      for (const name of ['ü "quoted".html', '🐦', 'a\nb', 'C:\\a', "it's; so=what"])
        add(name, new Uint8Array(3));
      add('large', new Uint8Array(20_000_000).fill(7));
      form.append('title', 'Größe 🐦\r\n');
      const response = await fetch(server.url, { method: 'POST', body: form });
      expect(await response.json()).toEqual({ files: sent, fields: { title: 'Größe 🐦\r\n' } });
    } finally {
      await server.stop(true);
    }
  });

  test('a refusal in the middle of an upload is an answer the client gets', async () => {
    const server = serveContexts((context) =>
      readMultipart(context, options, async () => {
        throw tooLarge();
      }),
    );
    try {
      const form = new FormData();
      form.append('file', new File([new Uint8Array(30_000_000)], 'a'));
      for (let count = 0; count < 3; count++) {
        const response = await fetch(server.url, { method: 'POST', body: form });
        expect(await response.json()).toMatchObject({ failed: 'TOO_LARGE' });
      }
    } finally {
      await server.stop(true);
    }
  });
});
