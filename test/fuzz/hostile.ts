import fc, { type Arbitrary } from 'fast-check';
import { openConnection, type RawResponse } from '../acceptance/support/socket.ts';
import type { ReadyRequest } from './send.ts';

/** How long an answer is waited for, in ms: to half a request none may come. */
const PATIENCE_MS = 300;

/** Bytes put into a request at a place between its beginning (0) and its end (1), in place of as many or between them. */
export interface Damage {
  at: number;
  bytes: Uint8Array;
  replaces: boolean;
}

const ODD_BYTES = [
  ...[
    '\0',
    '\r',
    '\n',
    '\r\n',
    '\r\n\r\n',
    ' ',
    '\t',
    '\x7f',
    '\xff',
    '\xc0\xaf',
    '\xed\xa0\x80',
    '%00',
    '%',
  ],
  ...[
    '\r\nTransfer-Encoding: chunked',
    '\r\nContent-Length: 0',
    '\r\nHost: elsewhere.example',
    ' HTTP/0.9\r\n',
  ],
  ...['\r\nExpect: 100-continue', '\r\nConnection: Upgrade\r\nUpgrade: websocket', '\r\nX: '.repeat(150)],
].map((text) => Uint8Array.from(Buffer.from(text, 'latin1')));

/** Most of it in the head: bodies are damaged elsewhere, too. */
export const damages: Arbitrary<Damage[]> = fc.array(
  fc.record({
    at: fc.oneof(fc.double({ min: 0, max: 0.2, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    bytes: fc.oneof(fc.constantFrom(...ODD_BYTES), fc.uint8Array({ minLength: 1, maxLength: 6 })),
    replaces: fc.boolean(),
  }),
  { minLength: 1, maxLength: 3 },
);

/** A request as it would go over the wire, damaged. */
export function damaged({ url, method, headers, body }: ReadyRequest, damage: Damage[]): Uint8Array {
  const { host, pathname, search } = new URL(url);
  const head = [
    `${method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    'Connection: close',
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === null ? [] : [`Content-Length: ${body.length}`]),
  ];
  const whole = Buffer.concat([
    Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
    body ?? Buffer.alloc(0),
  ]);
  return damage.reduce<Uint8Array>((bytes, { at, bytes: odd, replaces }) => {
    const place = Math.floor(at * bytes.length);
    return Buffer.concat([bytes.slice(0, place), odd, bytes.slice(place + (replaces ? odd.length : 0))]);
  }, whole);
}

/** Sends bytes; `null` when no answer came. */
export async function sendBytes(url: string, bytes: Uint8Array): Promise<RawResponse | null> {
  const connection = await openConnection(url);
  const answer = (async () => {
    await connection.send(bytes);
    return await connection.response();
  })();
  try {
    return await Promise.race([answer.catch(() => null), Bun.sleep(PATIENCE_MS).then(() => null)]);
  } finally {
    connection.destroy();
  }
}
