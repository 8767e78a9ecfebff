import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { constants, deflateRawSync, gzipSync } from 'node:zlib';
import { eventually } from './support/concurrency.ts';
import { BOUNDARY, encodeForm, FORM_TYPE } from './support/multipart.ts';
import { usePerch } from './support/perch.ts';
import { postSiteForm } from './support/site-client.ts';

const perch = usePerch({ env: { TRUST_PROXY: '1' } });

/** Forms at once, of which each holds some 4 MB of names of empty files. */
const FORMS = 40;

/** A client alone has half of 192 MB, and one upload the 64 MB beside them. */
const MAX_HELD = Math.ceil((96 * 1_048_576) / (2_000 * 2 * 1_003)) + 1;

/** The body of a form whose last file does not end, in gzip: 2,000 names that few bytes bring. */
function unendedForm(): Uint8Array {
  const named = Array.from({ length: 1_999 }, () => ({
    name: 'files',
    filename: 'あ'.repeat(1_003),
    content: '',
  }));
  const whole = encodeForm([...named, { name: 'files', filename: 'last.html', content: 'x' }]);
  const unended = whole.subarray(0, whole.length - `\r\n--${BOUNDARY}--\r\n`.length);
  return gzipSync(unended, { finishFlush: constants.Z_SYNC_FLUSH });
}

/** More of its last file, above the least pace when it comes every few seconds. */
const MORE = deflateRawSync(randomBytes(20_000), { finishFlush: constants.Z_SYNC_FLUSH });
const MORE_EVERY_MS = 6_000;

const chunk = (bytes: Uint8Array): Uint8Array =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

/** Sends a form that does not end, and tells the status of its answer once there is one. */
async function stall(body: Uint8Array, answered: (status: number) => void): Promise<Socket> {
  const { hostname, port } = new URL(perch.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.once('data', (data: Uint8Array) => {
    answered(Number(Buffer.from(data).toString('latin1').split(' ')[1]));
    socket.destroy();
  });
  await once(socket, 'connect');
  const head = [
    ...['POST /api/sites HTTP/1.1', 'Host: perch', 'User-Agent: test/1', 'X-Forwarded-For: 10.66.3.1'],
    ...[`Content-Type: ${FORM_TYPE}`, 'Content-Encoding: gzip', 'Transfer-Encoding: chunked', '', ''],
  ].join('\r\n');
  socket.write(head);
  socket.write(chunk(body));
  const drip = setInterval(() => socket.write(chunk(MORE)), MORE_EVERY_MS);
  socket.once('close', () => clearInterval(drip));
  return socket;
}

test('forms whose names fill the memory wait for room, and one client leaves some to others', async () => {
  const statuses: number[] = [];
  const body = unendedForm();
  const sockets = await Promise.all(
    Array.from({ length: FORMS }, () => stall(body, (status) => statuses.push(status))),
  );
  try {
    await eventually(
      async () => statuses.filter((status) => status === 503).length >= FORMS - MAX_HELD,
      40_000,
    );
    const other = { headers: { 'X-Forwarded-For': '10.66.4.1' } };
    const page = { name: 'files', filename: 'index.html', content: '<p>There is room.' };
    expect((await postSiteForm(perch, [page], other)).status).toBe(201);
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}, 60_000);
