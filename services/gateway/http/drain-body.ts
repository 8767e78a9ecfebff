import { within } from '../../../shared/deadline.ts';

/** Bounds of reading a body that is dropped (specification 1.7). */
const MAX_BYTES = 67_108_864;
const MAX_MS = 5_000;

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel'>;

/**
 * Reads and drops the body of an answered request, or the rest of it, when its connection closes after the answer. Bytes that nobody
 * has read make the kernel reset a connection that closes (RFC 9112, section 9.6), and the client, which is still sending, loses the
 * answer: a proxy then says that the server is away. Bodies on connections that stay open are dropped by Bun.
 * @param reader of the body, where somebody has begun to read it
 */
export async function drainBeforeClose(request: Request, reader?: Reader): Promise<void> {
  if (!closesConnection(request)) return;
  const rest = reader ?? (request.bodyUsed ? undefined : request.body?.getReader());
  if (rest === undefined) return;
  await within(drop(rest), MAX_MS, () => new Error('the rest of a body takes too long')).catch(
    () => undefined,
  );
  await rest.cancel().catch(() => undefined);
}

const closesConnection = ({ headers }: Request): boolean =>
  /(?:^|,)\s*close\s*(?:,|$)/i.test(headers.get('connection') ?? '');

async function drop(reader: Reader): Promise<void> {
  for (let bytes = 0; bytes < MAX_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) return;
    bytes += value.length;
  }
}
