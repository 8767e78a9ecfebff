import { describe, expect, test } from 'bun:test';
import { connect } from 'node:net';
import type { Exchange } from '../../../services/gateway/http/exchange.ts';
import { createMemoryBudget } from '../../../services/gateway/intake/memory-budget.ts';
import { readMultipart } from '../../../services/gateway/intake/multipart.ts';
import {
  type BodyTimes,
  readBody,
  readFilePart,
  streamBody,
} from '../../../services/gateway/intake/read-body.ts';
import { errors } from '../../../shared/errors.ts';
import { bodyOf, exchangeWith, serveExchanges, tooLarge } from './intake-exchange.ts';

const LIMIT = { bytes: 1_000, tooLarge };
const FAULT = { code: 'VALIDATION_FAILED' };
const refuse = () => errors.refused('uploads');
const budgetOf = (bytes = 10_000) => createMemoryBudget(bytes, { refuse, waitMs: 20 });

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return Buffer.concat(await Array.fromAsync(chunks));
}

/** Every way to read a whole body. */
const WAYS: Record<string, (exchange: Exchange, times?: BodyTimes) => Promise<Uint8Array>> = {
  'into memory': (exchange, times) => readBody(exchange, LIMIT, budgetOf(), times),
  'as it comes': (exchange, times) => collect(streamBody(exchange, LIMIT, times)),
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
    expect(Buffer.from(await read(exchangeWith(bodyOf(pieces).stream))).toString()).toBe('one two');
    expect(await read(exchangeWith(null))).toHaveLength(0);
  });

  test('may be as long as the limit, and not a byte longer', async () => {
    expect(await read(exchangeWith(new Uint8Array(1_000)))).toHaveLength(1_000);
    const body = bodyOf([new Uint8Array(1_000), new Uint8Array(1), new Uint8Array(1)]);
    await expect(read(exchangeWith(body.stream))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    expect(body.wasCancelled()).toBe(true);
  });

  test('is refused by its announced length, its encoding, or when it does not keep to its length', async () => {
    const announced = (length: number) =>
      exchangeWith(bodyOf([new Uint8Array(10)]).stream, { 'Content-Length': `${length}` });
    await expect(read(announced(1_001))).rejects.toMatchObject({ code: 'TOO_LARGE' });
    await expect(read(announced(11))).rejects.toMatchObject(FAULT);
    const zipped = exchangeWith(new Uint8Array(10), { 'Content-Encoding': 'gzip' });
    await expect(read(zipped)).rejects.toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  });

  test('is too slow when nothing comes for a while, or when it takes too long in all', async () => {
    const idle = read(exchangeWith(stalled()), { idleMs: 20, totalMs: 60_000 });
    await expect(idle).rejects.toThrow('nothing came for 0.02 seconds');
    await expect(idle).rejects.toMatchObject(FAULT);
    const slow = read(exchangeWith(trickling()), { idleMs: 10_000, totalMs: 60 });
    await expect(slow).rejects.toThrow('took longer than');
    await expect(slow).rejects.toMatchObject(FAULT);
  });

  test('gives the work that follows its full time again', async () => {
    const exchange = exchangeWith(new Uint8Array(1));
    exchange.context.deadline = 0;
    await read(exchange);
    expect(exchange.context.deadline).toBeGreaterThan(Date.now());
  });
});

test('a reader that takes its time is not an idle client', async () => {
  const body = bodyOf([new Uint8Array(1), new Uint8Array(1), new Uint8Array(1)]);
  let read = 0;
  for await (const chunk of streamBody(exchangeWith(body.stream), LIMIT, { idleMs: 20, totalMs: 60_000 })) {
    read += chunk.length;
    await Bun.sleep(50);
  }
  expect(read).toBe(3);
});

test('a reader that stops early lets go of the rest, and takes no more than it read', async () => {
  const body = bodyOf(Array.from({ length: 100 }, () => new Uint8Array(10)));
  for await (const _ of streamBody(exchangeWith(body.stream), LIMIT)) break;
  expect(body.wasCancelled()).toBe(true);
  expect(body.taken()).toBeLessThan(100);
});

describe('the budget', () => {
  test('is charged until the exchange ends, also when the body fails', async () => {
    const budget = budgetOf(1_000);
    const announced = (length: number) =>
      exchangeWith(bodyOf([new Uint8Array(600)]).stream, { 'Content-Length': `${length}` });
    for (const exchange of [announced(600), announced(700)]) {
      await readBody(exchange, LIMIT, budget).catch(() => undefined);
      const other = budget.acquire(500, 'other');
      await expect(other).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      exchange.end();
      (await budget.acquire(500, 'other'))();
    }
  });

  test('without room the body is let go', async () => {
    const budget = budgetOf(1_000);
    await budget.acquire(1_000, 'other');
    const body = bodyOf([new Uint8Array(1)]);
    await expect(readBody(exchangeWith(body.stream), LIMIT, budget)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(body.wasCancelled()).toBe(true);
  });

  test('holds a part of a form as it holds a body', async () => {
    const budget = budgetOf(1_000);
    const exchange = exchangeWith(null);
    const part = async function* (bytes: number) {
      for (let sent = 0; sent < bytes; sent += 100) yield new Uint8Array(100);
    };
    expect(await readFilePart(exchange, part(1_000), LIMIT, budget)).toHaveLength(1_000);
    await expect(budget.acquire(1, 'other')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    exchange.end();
    const second = exchangeWith(null);
    await expect(readFilePart(second, part(1_100), LIMIT, budget)).rejects.toMatchObject({
      code: 'TOO_LARGE',
    });
  });
});

describe('over a real connection', () => {
  const large = { bytes: 50_000_000, tooLarge };
  const drop = async (part: { body: AsyncIterable<Uint8Array> }): Promise<void> => {
    await collect(part.body);
  };
  const options = { limit: large, fileFields: ['file'], maxFiles: 1_000, maxFields: 1_000 };
  const FORM = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const ways: Record<string, (exchange: Exchange) => Promise<unknown>> = {
    'into memory': (exchange) => readBody(exchange, large, createMemoryBudget(200_000_000, { refuse })),
    'as it comes': (exchange) => collect(streamBody(exchange, large)),
    'as a form': (exchange) => readMultipart(exchange, options, drop),
  };

  for (const [way, read] of Object.entries(ways)) {
    test.each([['Content-Length: 1000000'], ['Transfer-Encoding: chunked']])(
      `${way}: a client that goes away is a body that broke off (%s)`,
      async (length) => {
        const { promise: outcome, resolve } = Promise.withResolvers<unknown>();
        const server = serveExchanges(async (exchange) =>
          resolve(await read(exchange).catch((error) => error)),
        );
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

  test('a form as fetch sends it: many files, a large one, and names of all sorts', async () => {
    const server = serveExchanges(async (exchange) => {
      const files: Array<[string | null, number, string]> = [];
      const fields = await readMultipart(exchange, options, async ({ filename, body }) => {
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
    const server = serveExchanges((exchange) =>
      readMultipart(exchange, options, async () => {
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
